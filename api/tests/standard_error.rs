//! Without a `tracing` subscriber, messages go to standard error, so the test runs itself in a second process
//! and reads its output.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot continue panics")]

use std::process::Command;

use onze::{Severity, prelude::*};

/// The environment variable that tells the second process to make mistakes.
const MAKES_MISTAKES: &str = "ONZE_TEST_MAKES_MISTAKES";

fn make_mistakes() {
    let desc = DeviceDesc { driver_type: DriverType::Null, debug: true, ..DeviceDesc::default() };
    let (device, mut immediate) = create_device(&desc).unwrap();
    for _ in 0..3 {
        immediate.draw(3, 0);
    }
    // Errors that are returned to the caller are not printed.
    let error = device.create_buffer(&BufferDesc::new(0, BindFlags::VERTEX_BUFFER), None).unwrap_err();
    let buffer = device.create_buffer(&BufferDesc::new(4, BindFlags::VERTEX_BUFFER), None).unwrap();
    immediate.map(&buffer, 0, MapType::Read).unwrap_err();
    let query = device.create_query(QueryType::Event).unwrap();
    immediate.get_data(&query, false).unwrap_err();
    let queue = device.info_queue();
    let stored = queue.messages();
    let ids: Vec<_> = stored.iter().map(|message| message.id).collect();
    let draw = MessageId::DrawTopologyUndefined;
    let returned = [MessageId::CreateBufferInvalid, MessageId::MapInvalid, MessageId::GetDataInvalid];
    assert_eq!(ids, [&[draw; 3][..], &returned].concat());
    assert!(stored[3].description.contains(&error.to_string()), "{stored:?}");
    queue.set_log_repeats(true);
    device.create_buffer(&BufferDesc::new(0, BindFlags::VERTEX_BUFFER), None).unwrap_err();
    queue.set_log_repeats(false);
    queue.add_application_message(Severity::Info, "only information");
    queue.set_mute_debug_output(true);
    immediate.end_event();
    assert!(queue.get_mute_debug_output() && queue.len() == 9);
}

#[test]
fn without_a_subscriber_messages_go_to_standard_error() {
    if std::env::var_os(MAKES_MISTAKES).is_some() {
        return make_mistakes();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "without_a_subscriber_messages_go_to_standard_error", "--nocapture"])
        .env(MAKES_MISTAKES, "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stderr).unwrap();
    let ours: Vec<_> = printed.lines().filter(|line| line.starts_with("onze: ")).collect();
    // Each message is printed once, except that informative messages and muted messages are not printed.
    assert_eq!(ours.len(), 1, "{printed}");
    assert!(
        ours[0].contains("Error DrawTopologyUndefined") && ours[0].contains("`ia_set_primitive_topology`")
    );
}
