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
    /// What it holds, and when it is null.
    pub doc: &'static str,
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
        $( $(#[doc = $doc:literal])+ $name:ident = $value:expr, )+
    ) => {
        $(#[doc = $about])+
        pub(super) static $table: $crate::export::columns::Table = $crate::export::columns::Table {
            name: $export,
            doc: concat!($($about),+),
            columns: &[$(
                $crate::export::columns::Column {
                    name: stringify!($name),
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
pub(super) fn documentation(tables: &[&Table]) -> String {
    let mut out = String::from(HEAD);
    for table in tables {
        out += &format!("\n## {}\n\n{}\n\n", table.name, table.doc.trim());
        out += "| column | what it holds |\n|---|---|\n";
        for column in table.columns {
            out += &format!("| `{}` | {} |\n", column.name, column.doc.trim());
        }
    }
    out
}

/// The beginning of the documentation.
const HEAD: &str = "\
# Exports

`tamis export DIR NAME` writes what happened in a crawl as rows for other programs: JSON lines, or
with `--format csv` CSV as RFC 4180 has it, with a line of headings. In CSV null is an empty cell,
lists are JSON, and a text that a spreadsheet would take for a formula begins with `'`. Rows are
written as the journal is read, so an export takes little memory and also works while the crawl
runs: it then tells how the crawl stood when the export began.

A page that was fetched again is one row, as it stands at the end. `page` and `record` are the numbers
of records in the journal.

This file is made from the declarations of the columns in `crates/report/src/export/`.
";

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
        a = json!(row.a),
        /// Their sum,
        /// modulo nothing.
        sum = json!(row.a + row.b),
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
        let text = documentation(&[&PAIRS]);
        assert!(text.contains("\n## pairs\n\nTwo numbers.\n"), "{text}");
        assert!(
            text.ends_with("| `sum` | Their sum, modulo nothing. |\n"),
            "{text}"
        );
    }
}
