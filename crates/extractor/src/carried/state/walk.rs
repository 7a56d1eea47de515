//! The values of a state in their order, each with its path and the objects around it.

use std::cell::OnceCell;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::VALUES_MAX;
use super::facts::Facts;

/// An object with those around it.
pub(super) struct Holder<'v> {
    fields: &'v Map<String, Value>,
    pub above: Option<Rc<Holder<'v>>>,
    /// What its fields say, once it was asked for: each of thousands of texts in an object asks.
    facts: OnceCell<Facts>,
}

impl Holder<'_> {
    pub(super) fn facts(&self) -> &Facts {
        let fields = || self.fields.iter().map(|(key, value)| (&**key, value));
        self.facts.get_or_init(|| Facts::of(fields()))
    }
}

/// A value that is still to come.
struct Open<'v> {
    value: &'v Value,
    /// The path of what holds it, and its key there.
    above: Rc<str>,
    key: Option<&'v str>,
    holder: Option<Rc<Holder<'v>>>,
}

/// The first values of a state in their order, each with its path and its object. It keeps its own stack, since the page decides
/// how deep they are nested; and there no more than can still be visited, since it decides how many there are.
pub(super) struct Walk<'v> {
    /// What is to come, the next one last.
    open: Vec<Open<'v>>,
    /// How many are still visited.
    left: usize,
}

impl<'v> Walk<'v> {
    pub(super) fn new(root: &'v Value, left: usize) -> Self {
        let root = Open {
            value: root,
            above: "".into(),
            key: None,
            holder: None,
        };
        let open = vec![root];
        Self { open, left }
    }
}

impl<'v> Iterator for Walk<'v> {
    type Item = (&'v Value, Rc<str>, Option<Rc<Holder<'v>>>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let Open {
            value,
            above,
            key,
            holder,
        } = self.open.pop()?;
        let path = match key {
            Some(key) => below(above, key),
            None => above,
        };
        let inner = |value, key, holder: &Option<Rc<Holder<'v>>>| Open {
            value,
            above: path.clone(),
            key,
            holder: holder.clone(),
        };
        match value {
            Value::Array(items) => {
                let items = items.iter().take(self.left).rev();
                self.open
                    .extend(items.map(|item| inner(item, None, &holder)));
            }
            Value::Object(fields) => {
                let around = Some(Rc::new(Holder {
                    fields,
                    above: holder.clone(),
                    facts: OnceCell::new(),
                }));
                let fields = fields.iter().take(self.left).rev();
                self.open
                    .extend(fields.map(|(key, value)| inner(value, Some(key.as_str()), &around)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        // Not after each value: that would move all of it each time.
        if self.open.len() > 2 * VALUES_MAX {
            self.open.drain(..self.open.len() - self.left);
        }
        Some((value, path, holder))
    }
}

/// The path of a field.
fn below(path: Rc<str>, key: &str) -> Rc<str> {
    if path.len() >= 200 {
        return path;
    }
    // Keys that are ids say nothing.
    let is_name = key.len() <= 40 && !key.bytes().any(|byte| byte.is_ascii_digit());
    let key = if is_name { key } else { "*" };
    format!("{path}.{key}").into()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_walk_holds_no_more_than_it_may_still_visit_and_no_path_twice() {
        // Each item that waited had a path of its own, 200 bytes long: 270 MB for 1.9 MB.
        let key = "a".repeat(40);
        let mut text = "0,".repeat(20_000);
        for _ in 0..20 {
            text = format!("{{\"{key}\":[{text}0]}},{}", "0,".repeat(20_000));
        }
        let root: Value = serde_json::from_str(&format!("[{text}0]")).expect("a list");
        let mut walk = Walk::new(&root, VALUES_MAX);
        let mut visited = 0;
        let mut paths = HashSet::new();
        while let Some((_, path, _)) = walk.next() {
            visited += 1;
            assert!(walk.open.len() <= 2 * VALUES_MAX);
            paths.insert(path.as_ptr());
        }
        assert_eq!(visited, VALUES_MAX);
        assert!(paths.len() <= 21, "{} paths", paths.len());
    }

    #[test]
    fn a_walk_gives_values_in_their_order_with_their_paths() {
        let json = r#"{"a":[{"x1":1},2],"b":{"c":{"d":3}}}"#;
        let root: Value = serde_json::from_str(json).expect("an object");
        let of = |left| -> Vec<String> {
            let walk = Walk::new(&root, left).filter(|(value, _, _)| value.is_number());
            walk.map(|(value, path, _)| format!("{path}={value}"))
                .collect()
        };
        assert_eq!(of(VALUES_MAX), [".a.*=1", ".a=2", ".b.c.d=3"]);
        assert_eq!(of(5), [".a.*=1", ".a=2"]);
    }
}
