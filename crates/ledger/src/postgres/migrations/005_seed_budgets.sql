-- Budgets of seeds: how many URLs each has brought in, over all nodes.

-- Only seeds with a budget are counted, so that the others cost nothing. The rows change in place.
create table seed_urls (
    seed bigint primary key,
    urls bigint not null
) with (fillfactor = 50);
insert into seed_urls select seed, count(*) from admitted group by seed;
grant select on seed_urls to tamis_node, tamis_reader;

-- As `open_group`, and what is new counts for the budgets of its seeds. Whoever has counted for a seed
-- holds its row until the end of the group, so nobody counts beside it.
create function open_within(
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
        select o.seed, count(*) from unnest(p_seed, news) as o (seed, is_new)
        where o.is_new and o.seed = any (b_seed)
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

revoke execute on function open_within from public;
grant execute on function open_within to tamis_node;
