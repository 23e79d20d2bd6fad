//! Link arguments of the command in builds for tests.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // Tests start the command thousands of times. Without optimisation half of a start is the relocation of its addresses, which a
    // program at a fixed place does not need.
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bin=tfxio=-no-pie");
    }
}
