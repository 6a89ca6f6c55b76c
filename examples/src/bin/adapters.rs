//! Prints one line for each adapter that can draw, and exits with status 3 if there is none.

use std::process::ExitCode;

fn main() -> ExitCode {
    let adapters = onze::enumerate_adapters();
    for adapter in &adapters {
        println!("{adapter}");
    }
    if adapters.is_empty() {
        eprintln!("no adapter was found");
        return ExitCode::from(3);
    }
    ExitCode::SUCCESS
}
