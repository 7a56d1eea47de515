-- Budgets of seeds are of pages: sitemaps, whose kind is not 0, do not count.

-- As before, but for the kind.
create or replace function open_within(
    p_node smallint, p_epoch bigint, p_part smallint[], p_key uuid[], p_page bigint[],
    p_depth bigint[], p_seed bigint[], p_kind smallint[], p_priority real[], p_url text[],
    p_context bytea[], b_seed bigint[], b_max bigint[]
) returns boolean[]
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    news boolean[];
    is_over boolean;
begin
    news := open_group(p_node, p_epoch, p_part, p_key, p_page, p_depth, p_seed, p_kind, p_priority,
        p_url, p_context);
    with spent as (
        -- In the order of seeds, as the keys of URLs are.
        insert into seed_urls as s (seed, urls)
        select o.seed, count(*) from unnest(p_seed, p_kind, news) as o (seed, kind, is_new)
        where o.is_new and o.kind = 0 and o.seed = any (b_seed)
        group by o.seed order by o.seed
        on conflict (seed) do update set urls = s.urls + excluded.urls
        returning seed, urls
    )
    select bool_or(spent.urls > b.urls_max) into is_over
        from spent join unnest(b_seed, b_max) as b (seed, urls_max) using (seed);
    if is_over then
        raise exception 'over the budget of a seed' using errcode = 'TM008';
    end if;
    return news;
end $$;
