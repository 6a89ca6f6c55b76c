//! Tests of contexts whose policy has a mechanism switched off.

use onze_ddi::{BindFlags, BufferDesc, ShaderStage, Tuning};

use super::{Rig, lists::whole};
use crate::{
    services::policy::{
        Policy,
        tests::{switched_off, with_policy},
    },
    testing::noop_with,
};

#[test]
fn lists_and_discards_work_with_any_mechanism_off() {
    for (off, policy) in switched_off() {
        let Some(mut rig) = with_policy(policy, Rig::gpu) else { return };
        let constants = rig.dynamic_constants(64);
        let (copied, staging) =
            (rig.buffer(BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None), rig.staging(64));
        let mut deferred = rig.deferred();
        [constants, copied].into_iter().for_each(|buffer| rig.open(&mut deferred, buffer));
        deferred.bind_constants(ShaderStage::Vertex, 0, whole(constants));
        (0..120).for_each(|_| deferred.draw());
        deferred.copy(copied, constants);
        let list = deferred.finish();
        for execution in 0..40 {
            rig.context.discard(constants, &[execution; 64]);
            rig.context.execute(&list);
            rig.context.bind_constants(ShaderStage::Vertex, 0, whole(constants));
            (0..600).for_each(|_| rig.context.draw());
            if execution % 8 == 7 {
                rig.context.copy(staging, copied);
                assert_eq!(rig.context.read(staging), [execution; 64], "without {off}, {execution}");
            } else if execution % 2 == 0 {
                rig.context.flush();
            }
        }
        rig.runtime.assert_clean();
    }
}

#[test]
fn nothing_is_submitted_early_without_a_backlog() {
    let mut policy = Policy::default();
    let counted = |policy: &Policy| {
        let tuning = Tuning { workers: Some(0), ..Tuning::default() };
        let mut rig = Rig::new(with_policy(policy.clone(), || noop_with(tuning)));
        let [from, to] = [(); 2].map(|()| rig.buffer(BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None));
        // Draws without a target have no effect, so the submissions consist of the copies.
        for _ in 0..40 {
            rig.context.copy(to, from);
            (0..1000).for_each(|_| rig.context.draw());
        }
        rig.device.submission.counters.read(&rig.device.encoding).early_submissions
    };
    assert!(counted(&policy) > 0);
    policy.backlog.draws = u64::MAX;
    assert_eq!(counted(&policy), 0);
}
