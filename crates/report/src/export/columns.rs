//! Columns declared once: name, what it holds, and its value from the row.
//!
//! [`columns!`] makes of one list both the table of names, which is documented and heads a CSV
//! file, and the function that takes a row apart. So a value cannot stand in another's column.

use serde_json::Value;

/// A kind of row and its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// The name of the export.
    pub name: &'static str,
    /// What a row is about, and the order of the rows.
    pub doc: &'static str,
    /// The columns in their order.
    pub columns: &'static [Column],
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The key of a JSON row and the heading in CSV.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
    /// What it holds, and when it is null.
    pub doc: &'static str,
}

/// What the values of a column are; each may also be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// True or false.
    Bool,
    /// A time, RFC 3339 in UTC with three digits after the second: such times sort as text.
    Time,
    /// A list.
    List,
}

impl Kind {
    /// What the documentation calls it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Int => "integer",
            Kind::Float => "number",
            Kind::Bool => "true or false",
            Kind::Time => "time",
            Kind::List => "list",
        }
    }
}

/// A row before it is written: a value for each column of its table.
#[derive(Debug, Clone)]
pub(super) struct Row {
    table: &'static Table,
    values: Vec<Value>,
}

impl Row {
    /// The values of a row of this table, in the order of its columns; for [`columns!`].
    pub(super) fn new(table: &'static Table, values: Vec<Value>) -> Row {
        Row { table, values }
    }

    /// The values in the order of the columns.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    #[cfg(feature = "parquet")]
    /// The host that the row is about, where its table has one.
    pub(super) fn host(&self) -> &str {
        let at = self
            .table
            .columns
            .iter()
            .position(|column| column.name == "host");
        at.and_then(|at| self.values[at].as_str())
            .unwrap_or_default()
    }

    /// Each value with the name of its column.
    pub(super) fn entries(self) -> impl Iterator<Item = (&'static str, Value)> {
        let names = self.table.columns.iter().map(|column| column.name);
        names.zip(self.values)
    }
}

/// Declares a table, and the function that makes its rows.
macro_rules! columns {
    (
        $(#[doc = $about:literal])+
        $export:literal: $table:ident, $make:ident($row:ident: $type:ty);
        $( $(#[doc = $doc:literal])+ $name:ident: $kind:ident = $value:expr, )+
    ) => {
        $(#[doc = $about])+
        pub(super) static $table: $crate::export::columns::Table = $crate::export::columns::Table {
            name: $export,
            doc: concat!($($about),+),
            columns: &[$(
                $crate::export::columns::Column {
                    name: stringify!($name),
                    kind: $crate::export::columns::Kind::$kind,
                    doc: concat!($($doc),+),
                },
            )+],
        };

        /// A row of the table.
        pub(super) fn $make($row: $type) -> $crate::export::columns::Row {
            $crate::export::columns::Row::new(&$table, vec![$($value),+])
        }
    };
}
pub(super) use columns;

/// The documentation of all tables, in Markdown.
pub(super) fn documentation(all: &[super::What]) -> String {
    let mut out = String::from(include_str!("head.md"));
    for what in all {
        let options: Vec<_> = what
            .facets()
            .iter()
            .map(|f| format!("`{}`", f.option()))
            .collect();
        out += &of_table(what.table());
        out += &format!("\nFilters: {}.\n", options.join(", "));
    }
    out
}

fn of_table(table: &Table) -> String {
    let mut out = format!("\n## {}\n\n{}\n\n", table.name, table.doc.trim());
    out += "| column | type | what it holds |\n|---|---|---|\n";
    for column in table.columns {
        let (name, kind, doc) = (column.name, column.kind.name(), column.doc.trim());
        out += &format!("| `{name}` | {kind} | {doc} |\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    pub(super) struct Pair {
        a: u32,
        b: u32,
    }

    columns! {
        /// Two numbers.
        "pairs": PAIRS, pair(row: &Pair);
        /// The first.
        a: Int = json!(row.a),
        /// Their sum,
        /// modulo nothing.
        sum: Int = json!(row.a + row.b),
    }

    #[test]
    fn a_value_stands_in_the_column_that_it_was_declared_with() {
        let row = pair(&Pair { a: 1, b: 2 });
        assert_eq!(row.values(), [json!(1), json!(3)]);
        let entries: Vec<_> = row.entries().collect();
        assert_eq!(entries, [("a", json!(1)), ("sum", json!(3))]);
        assert_eq!(PAIRS.columns[1].doc, " Their sum, modulo nothing.");
    }

    #[test]
    fn the_documentation_has_a_table_of_columns() {
        let text = of_table(&PAIRS);
        assert!(text.contains("\n## pairs\n\nTwo numbers.\n"), "{text}");
        assert!(
            text.ends_with("| `sum` | integer | Their sum, modulo nothing. |\n"),
            "{text}"
        );
    }
}
