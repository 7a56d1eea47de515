-- What hosts are owed by whoever has their part next: waits, paces, limits.

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
