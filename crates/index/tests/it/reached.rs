//! Up to where an index reaches.

use index::Searcher;

use crate::page;

#[test]
fn a_searcher_knows_up_to_where_the_index_reaches() {
    let dir = tempfile::tempdir().unwrap();
    let (mut index, _) = index::PageIndex::open(dir.path()).unwrap();
    let searcher = Searcher::open(dir.path()).unwrap();
    assert_eq!(searcher.position(), Some(0));
    index.add(&page("http://a.example/", "x", "y")).unwrap();
    index.commit(7).unwrap();
    assert_eq!(searcher.position(), Some(0));
    searcher.reload().unwrap();
    assert_eq!((searcher.position(), searcher.doc_count()), (Some(7), 1));
}
