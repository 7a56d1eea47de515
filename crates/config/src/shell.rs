//! Paths in the commands that messages give, which work as they stand.

use std::path::Path;

/// A path as it is typed in a shell: quoted where it has blanks or signs.
pub fn for_shell(path: &Path) -> String {
    let shown = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:=@%,".contains(c);
    match !shown.is_empty() && shown.chars().all(is_plain) {
        true => shown,
        false => format!("'{}'", shown.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_for_the_shell_where_it_needs_to_be() {
        for (path, typed) in [
            ("crawls/db-1", "crawls/db-1"),
            ("抓取/目录", "抓取/目录"),
            ("s3://bucket/a", "s3://bucket/a"),
            ("我的 抓取/目 录", "'我的 抓取/目 录'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(for_shell(Path::new(path)), typed);
        }
    }
}
