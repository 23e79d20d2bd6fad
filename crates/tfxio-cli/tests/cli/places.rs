//! The commands of the page on object stores, with the server that it starts.

use std::path::Path;
use std::process::Command;

use s3_bed::{ACCESS_KEY, SECRET_KEY, Server};

#[test]
fn commands_print_what_the_page_of_object_stores_says() {
    let Some(server) = Server::start() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for entry in std::fs::read_dir(root.join("fixtures/digits")).unwrap().map(Result::unwrap) {
        let key = format!("digits/{}", entry.file_name().to_string_lossy());
        server.put(&key, std::fs::read(entry.path()).unwrap());
    }
    let page = std::fs::read_to_string(root.join("docs/places.md")).unwrap();
    let mut commands = 0;
    let blocks = page.split("```shellsession\n").skip(1).filter_map(|rest| rest.split("```").next());
    for example in blocks.flat_map(|block| block.split("$ tfxio ").skip(1)) {
        let (line, rest) = example.split_once('\n').unwrap();
        let printed: String =
            rest.lines().take_while(|line| line.starts_with('{')).map(|line| format!("{line}\n")).collect();
        let words = line.split_whitespace().map(|word| word.trim_matches('\''));
        let output = Command::new(env!("CARGO_BIN_EXE_tfxio"))
            .args(words)
            .envs([("AWS_ENDPOINT", server.url()), ("AWS_ALLOW_HTTP", "true"), ("AWS_REGION", "us-east-1")])
            .envs([("AWS_ACCESS_KEY_ID", ACCESS_KEY), ("AWS_SECRET_ACCESS_KEY", SECRET_KEY)])
            .output()
            .unwrap();
        let (out, error) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{line}: {error}");
        if !printed.is_empty() {
            assert_eq!(out, printed, "{line}");
        }
        commands += 1;
    }
    assert_eq!(commands, 3);
    assert!(server.keys().contains(&"digits.parquet".to_owned()));
}
