//! Commands as a user meets them.

use crate::support::{run, stdout, tamis};

#[test]
fn the_demo_runs_alone_and_its_sums_close() {
    let dir = tempfile::tempdir().expect("a directory");
    let demo = dir.path().join("demo");
    let shown = stdout(&run(
        tamis(&["demo", "--progress", "none", "--dir"]).arg(&demo)
    ));
    assert!(shown.contains("Try next:"), "{shown}");
    let report = stdout(&run(tamis(&["report", "--format", "json"]).arg(&demo)));
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let total = |name: &str| report["totals"][name].as_u64().unwrap_or(0);
    assert_eq!(total("admitted"), total("pending") + total("finished"));
    let fates = [
        "indexed",
        "junk",
        "failed",
        "refused",
        "redirected",
        "not_modified",
    ];
    assert_eq!(total("finished"), fates.map(total).iter().sum::<u64>());
    assert!(total("indexed") > 20 && total("junk") > 20, "{report}");
    let found = stdout(&run(tamis(&["search", "--json"])
        .arg(&demo)
        .arg("全文检索")));
    assert!(found.contains("全文检索"), "{found}");
    let clean = stdout(&run(tamis(&["check-dir", "--rejudge"]).arg(&demo)));
    assert!(clean.contains("everything agrees"), "{clean}");
    run(tamis(&["report", "--format", "html", "--out"])
        .arg(dir.path().join("r.html"))
        .arg(&demo));
}

#[test]
fn every_bundled_configuration_and_seed_list_is_in_order() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let list = |folder: &str, ending: &str| -> Vec<String> {
        let entries = std::fs::read_dir(format!("{root}/{folder}")).expect(folder);
        let paths = entries.map(|entry| entry.expect("an entry").path().display().to_string());
        paths.filter(|path| path.ends_with(ending)).collect()
    };
    let configs = list("config", ".toml");
    assert!(configs.len() >= 4, "{configs:?}");
    run(tamis(&["config", "check"]).args(&configs));
    let seeds = list("seeds", ".txt");
    assert!(seeds.len() >= 4, "{seeds:?}");
    run(tamis(&["seeds", "check"]).args(&seeds));
}

#[test]
fn every_command_has_help_with_an_example() {
    let help = stdout(&run(&mut tamis(&["--help"])));
    let commands = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1);
    let names: Vec<String> = commands
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_string))
        .filter(|name| name != "help")
        .collect();
    assert!(names.len() >= 15, "{names:?}");
    for name in names {
        let help = stdout(&run(&mut tamis(&[&name, "--help"])));
        let has_commands = help.contains("Commands:");
        assert!(
            help.contains("Example") || has_commands,
            "{name} has no example:\n{help}"
        );
    }
}
