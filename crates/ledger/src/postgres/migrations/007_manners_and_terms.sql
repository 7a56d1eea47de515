-- What hosts are owed by whoever has their part next: waits, paces, limits. And what nodes agree on when they join.

-- The last saying of each part. The rows change in place.
create table manners (
    part smallint    primary key,
    n    bigint      not null,
    node smallint    not null,
    at   timestamptz not null,
    data bytea       not null check (octet_length(data) <= 262144)
) with (fillfactor = 50);
grant select on manners to tamis_node, tamis_reader;

-- Where a part is another node's nothing is said of it. Nothing to say takes the place of what was said.
create function hand_over(
    p_node smallint, p_epoch bigint, p_part smallint[], p_data bytea[]
) returns void
language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
    perform 1 from node n where n.id = p_node and n.epoch = p_epoch and n.state = 'live'
        for no key update;
    if not found then
        raise exception 'fenced' using errcode = 'TM001';
    end if;
    insert into manners as m (part, n, node, at, data)
        select o.part, 1, p_node, clock_timestamp(), o.data
        from unnest(p_part, p_data) as o (part, data)
        join part p on p.id = o.part and p.node = p_node
        where octet_length(o.data) > 0 or exists (select 1 from manners b where b.part = o.part)
        order by o.part
        on conflict (part) do update
            set n = m.n + 1, node = excluded.node, at = excluded.at, data = excluded.data;
end $$;

revoke execute on function hand_over from public;
grant execute on function hand_over to tamis_node;

-- The lease that all nodes go by: of the first node that joins where no other one lives.
alter table meta add column ttl_ms bigint;

-- A budget can be raised by any node, and is then that of all.
create function agree(p_node smallint, p_epoch bigint, p_ttl_ms bigint, p_pages bigint)
returns table (ttl_ms bigint, pages_before bigint, pages_max bigint)
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    before bigint;
begin
    perform 1 from node n where n.id = p_node and n.epoch = p_epoch and n.state = 'live'
        for no key update;
    if not found then
        raise exception 'fenced' using errcode = 'TM001';
    end if;
    select s.pages_max into before from shares s for no key update;
    update meta m set ttl_ms = p_ttl_ms where m.ttl_ms is null
        or not exists (select 1 from node n where n.state = 'live' and n.id <> p_node);
    update shares s set pages_max = p_pages where s.pages_max < p_pages;
    return query select m.ttl_ms, before, s.pages_max from meta m, shares s;
end $$;

-- Another budget; null for none. It is no smaller than what was granted. For the owner alone.
create function set_budget(p_pages bigint) returns table (pages_before bigint, pages_max bigint)
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    before bigint;
begin
    perform 1 from node n order by n.id for no key update;
    select s.pages_max into before from shares s for no key update;
    if before is null then
        -- Nothing was granted; what was fetched counts.
        update node n set granted = n.pages where n.granted <> n.pages;
        update shares set granted = (select coalesce(sum(n.pages), 0) from node n);
    end if;
    update shares s set pages_max =
        case when p_pages is not null then greatest(p_pages, s.granted) end;
    return query select before, s.pages_max from shares s;
end $$;

revoke execute on function agree, set_budget from public;
grant execute on function agree to tamis_node;
