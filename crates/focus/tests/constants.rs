//! `CONSTANTS.md` and the code agree about every number chosen on data.

use std::path::Path;

#[test]
fn every_number_in_the_table_stands_in_its_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(root.join("CONSTANTS.md")).unwrap();
    let (mut file, mut source) = (String::new(), String::new());
    let mut checked = 0;
    for line in table.lines() {
        if let Some(heading) = line.strip_prefix("## `") {
            file = heading.trim_end_matches('`').to_owned();
            source = std::fs::read_to_string(root.join(&file)).expect(&file);
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, value, ..] = cells[..] else {
            continue;
        };
        let Some(name) = name
            .strip_prefix('`')
            .and_then(|name| name.strip_suffix('`'))
        else {
            continue;
        };
        let defines = |code: &&str| {
            let named = code.split(|c: char| !c.is_alphanumeric() && c != '_');
            let ends = [";", ",", "f32;"].map(|end| format!(" {value}{end}"));
            let glued = format!(" {value}f32;");
            named.clone().any(|word| word == name)
                && (ends.iter().any(|end| code.ends_with(end)) || code.ends_with(&glued))
        };
        let found = source.lines().any(|code| defines(&code));
        assert!(found, "{file} has no line that sets {name} to {value}");
        checked += 1;
    }
    assert!(checked > 80, "{checked} numbers");
}
