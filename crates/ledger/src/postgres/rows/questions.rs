//! What the store is asked, in its words.

pub(in crate::postgres) const FACTS: &str =
    "select n, node, kind, data from facts where n > $1 order by n limit 4096";

pub(in crate::postgres) const KEPT: &str = "select pos, op, page, replaces, fp, bands, print, layout, url, \
     published, canonical from kept where pos > $1 order by pos limit 4096";

/// Older transactions than the horizon have all ended, so nothing is missed behind the mark.
pub(in crate::postgres) const ADMITTED: &str = "with h as (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon) \
     select h.horizon, a.x, a.part, a.key, a.page, a.depth, a.seed, a.kind, a.priority, a.url, \
         a.context, a.put_back \
     from h left join lateral ( \
         select x, part, key, page, depth, seed, kind, priority, url, context, false as put_back \
         from admitted w where part = any ($2) and x >= $1 and x < h.horizon \
             and not exists (select 1 from finished f where f.part = w.part and f.key = w.key) \
         union all \
         select r.x, part, key, w.page, w.depth, w.seed, w.kind, w.priority, w.url, r.context, true \
         from reopened r join admitted w using (part, key) \
         where part = any ($2) and r.x >= $1 and r.x < h.horizon \
             and not exists (select 1 from finished f \
                 where f.part = r.part and f.key = r.key and f.gen >= r.gen) \
         order by x fetch first 4096 rows with ties) a on true";

pub(in crate::postgres) const PENDING: &str = "select part, key, page, depth, seed, kind, priority, url, coalesce(( \
         select context from reopened r where r.part = a.part and r.key = a.key \
         order by gen desc limit 1), context), \
         exists (select 1 from reopened r where r.part = a.part and r.key = a.key) from admitted a \
     where part = $1 and ($2::uuid is null or key > $2) and not exists ( \
         select 1 from finished f where f.part = a.part and f.key = a.key and f.gen = ( \
             select count(*) from reopened r where r.part = a.part and r.key = a.key)) \
     order by key limit 4096";

pub(in crate::postgres) const ROOTS: &str = "select part, key, page, depth, seed, kind, priority, url, context, false \
     from admitted where part = $1 and depth = 0 order by key limit 4096";

/// The same three of several parts; the first is in no order, so that it ends where its answer is full.
pub(in crate::postgres) const WAITING_IN: &str = "select part, key, page, depth, seed, kind, priority, url, coalesce(( \
         select context from reopened r where r.part = a.part and r.key = a.key \
         order by gen desc limit 1), context), \
         exists (select 1 from reopened r where r.part = a.part and r.key = a.key) from admitted a \
     where part = any ($1) and not exists ( \
         select 1 from finished f where f.part = a.part and f.key = a.key and f.gen = ( \
             select count(*) from reopened r where r.part = a.part and r.key = a.key)) \
     limit 4096";

pub(in crate::postgres) const ROOTS_IN: &str = "select part, key, page, depth, seed, kind, priority, url, context, false \
     from admitted where part = any ($1) and depth = 0 order by part, key limit 4096";

pub(in crate::postgres) const ENDED_IN: &str = "select ('x' || left(key::text, 8))::bit(32)::bigint as host, count(*), part from finished \
     where part = any ($1) and gen = 0 and outcome > 0 group by part, host order by part, host";

pub(in crate::postgres) const MANNERS_IN: &str = "select part, n, node, \
         greatest(extract(epoch from clock_timestamp() - at) * 1000, 0)::bigint, data \
     from manners where part = any ($1) order by part";

pub(in crate::postgres) const AGREE: &str = "select * from agree($1, $2, $3, $4)";

pub(in crate::postgres) const HAND_OVER: &str = "select hand_over($1, $2, $3, $4)";

pub(in crate::postgres) const BEGIN: &str = "select * from begin_group($1, $2, $3)";

pub(in crate::postgres) const KNOWN: &str = "select coalesce(array_agg(a.key is not null order by o.place), '{}') \
     from unnest($1::smallint[], $2::uuid[]) with ordinality as o (part, key, place) \
     left join admitted a on a.part = o.part and a.key = o.key";

/// The first end of each URL that was a page.
pub(in crate::postgres) const ENDED: &str = "select ('x' || left(key::text, 8))::bit(32)::bigint as host, count(*) from finished \
     where part = $1 and gen = 0 and outcome > 0 group by host order by host";

pub(in crate::postgres) const SPENT: &str = "select coalesce(array_agg(coalesce(s.urls, 0) order by o.place), '{}') \
     from unnest($1::bigint[]) with ordinality as o (seed, place) left join seed_urls s using (seed)";

pub(in crate::postgres) const REOPEN: &str = "select reopen_urls($1, $2, $3, $4, $5)";

pub(in crate::postgres) const OPEN: &str =
    "select open_group($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// The same, and the budgets of seeds are charged.
pub(in crate::postgres) const OPEN_WITHIN: &str =
    "select open_within($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

pub(in crate::postgres) const CLOSE: &str = "select * from close_group($1, $2, $3, $4, $5, $6, $7, $8, $9, \
     $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)";

pub(in crate::postgres) const BEAT: &str =
    "select * from beat($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

pub(in crate::postgres) const NODES: &str = "select id, epoch, name, beat, state, admitted, finished, pages, kept, seen, journal, note, \
         (select count(*) from part p where p.node = n.id) \
     from node n order by id";

pub(in crate::postgres) const CRAWL: &str = "select (select count(*) from part where node is null), (select pos from last_kept), \
         (select coalesce(max(n), 0) from facts), pages_max, granted, (select ttl_ms from meta) from shares";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::ANSWER_MAX;

    #[test]
    fn the_texts_ask_for_as_many_rows_as_an_answer_has() {
        let last = format!(" {ANSWER_MAX}");
        for text in [FACTS, KEPT, PENDING, ROOTS, WAITING_IN, ROOTS_IN] {
            assert!(text.ends_with(&last), "{text}");
        }
        assert!(ADMITTED.contains(&format!("first{last} rows with ties")));
    }
}
