//! Runs a study and prints its promises.
//!
//! `cargo run -p sinew-showcase --example promises -- body-shake showcase`

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: promises STUDY FOLDER".into());
    };
    for p in sinew_showcase::run(&name, folder.as_ref())?.promises {
        let holds = if p.holds { "ok  " } else { "FAIL" };
        println!("{holds} {}: {} promised, {} measured {}", p.promise, p.expected, p.measured, p.unit);
    }
    Ok(())
}
