-- What a node may do. It has no right to write but through these. Every function runs as the
-- owner, with this schema alone in its search path; every value comes as a parameter.
--
-- Locks are taken in one order: the node's own row, then `shares` or `last_kept`.
-- SQLSTATE TM001 fenced, TM002 more pages than granted, TM003 too far behind, TM004 ahead,
-- TM005 the journal does not move.

-- All that a node has is given back. The caller holds the node's row and `shares`.
create function retire(p_node smallint, p_state text) returns void
language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
    update shares set granted = granted - (select granted - pages from node where id = p_node)
        where pages_max is not null;
    update node set state = p_state, epoch = epoch + 1, granted = pages where id = p_node;
    update part set node = null, wanted_by = null where node = p_node;
    update part set wanted_by = null where wanted_by = p_node;
    delete from address where node = p_node;
end $$;

-- Verdicts: 0 joined, 1 another configuration, 2 another scheme, 3 no number left.
create function join_crawl(p_name text, p_scheme text, p_config bytea)
returns table (verdict smallint, number smallint, epoch bigint, journal bigint, parts smallint[],
               crawl uuid, admitted bigint, their_scheme text, their_config bytea)
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    m meta;
    n node;
    v smallint := 0;
begin
    perform 1 from node o where o.name = p_name for no key update;
    perform 1 from shares for no key update;
    update meta set scheme = p_scheme, config = p_config where meta.config is null;
    select * into m from meta;
    if m.config <> p_config then
        v := 1;
    elsif m.scheme <> p_scheme then
        v := 2;
    end if;
    if v = 0 then
        update node o set epoch = o.epoch + 1, beat = o.beat + 1, state = 'live'
            where o.name = p_name returning o.* into n;
        if not found and (select coalesce(max(o.id), 0) from node o) >= 8191 then
            v := 3;
        elsif not found then
            insert into node as o (id, name, epoch, state)
                select coalesce(max(l.id), 0) + 1, p_name, 1, 'live' from node l
                returning o.* into n;
        end if;
    end if;
    return query select v, n.id, n.epoch, n.journal,
        array(select p.id from part p where p.node = n.id order by p.id),
        m.crawl, pg_snapshot_xmin(pg_current_snapshot())::text::bigint, m.scheme,
        case when v = 1 then m.config end;
end $$;

create function open_group(
    p_node smallint, p_epoch bigint, p_part smallint[], p_key uuid[], p_page bigint[],
    p_depth bigint[], p_seed bigint[], p_kind smallint[], p_priority real[], p_url text[],
    p_context bytea[]
) returns boolean[]
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    news boolean[];
begin
    perform 1 from node where id = p_node and epoch = p_epoch and state = 'live'
        for no key update;
    if not found then
        raise exception 'fenced' using errcode = 'TM001';
    end if;
    with offered as (
        select o.* from unnest(p_part, p_key, p_page, p_depth, p_seed, p_kind, p_priority, p_url,
            p_context) with ordinality
            as o (part, key, page, depth, seed, kind, priority, url, context, place)
    ), firsts as (
        select distinct on (part, key) * from offered order by part, key, place
    ), added as (
        -- In the order of keys: two groups with URLs in common wait for each other in one way.
        insert into admitted (part, key, x, page, depth, seed, kind, priority, url, context)
        select f.part, f.key,
            case when p.node is distinct from p_node
                then pg_current_xact_id()::text::bigint end,
            f.page, f.depth, f.seed, f.kind, f.priority, f.url, f.context
        from firsts f join part p on p.id = f.part
        order by f.part, f.key
        on conflict do nothing
        returning part, key
    )
    select array_agg(f.place is not null and a.key is not null order by o.place) into news
        from offered o
        left join firsts f on f.place = o.place
        left join added a on a.part = f.part and a.key = f.key;
    return coalesce(news, '{}');
end $$;

-- Verdicts: 0 done, `pos` is the first position; 1 near, the rows are all since `p_seen`, and the
-- order is still locked.
create function close_group(
    p_node smallint, p_epoch bigint, p_seen bigint, p_radius smallint, p_asked bigint[],
    p_bands int[], p_cites bigint[], p_admitted bigint, p_pages bigint, p_journal bigint,
    f_part smallint[], f_key uuid[], f_gen smallint[], f_page bigint[], f_dup bigint[],
    f_outcome smallint[],
    k_op smallint[], k_page bigint[], k_replaces bigint[], k_fp bigint[], k_bands int[],
    k_band_at int[], k_band_count int[], k_print bytea[], k_layout bigint[], k_url text[],
    k_published bytea[], k_canonical bytea[]
) returns table (verdict smallint, pos bigint, op smallint, page bigint, replaces bigint,
                 fp bigint, bands int[], print bytea, layout bigint, url text, published bytea,
                 canonical bytea)
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    last bigint;
    cited bigint[] := p_cites || array_remove(k_replaces, null);
begin
    perform 1 from node n where n.id = p_node and n.epoch = p_epoch and n.state = 'live'
        for no key update;
    if not found then
        raise exception 'fenced' using errcode = 'TM001';
    end if;
    if cardinality(k_page) > 0 or cardinality(cited) > 0 then
        select l.pos into last from last_kept l for no key update;
    else
        select l.pos into last from last_kept l;
    end if;
    if p_seen > last then
        raise exception 'ahead' using errcode = 'TM004', detail = last::text;
    end if;
    if (cardinality(k_page) > 0 or cardinality(cited) > 0) and p_seen < last then
        if last - p_seen > 10000 then
            raise exception 'behind' using errcode = 'TM003', detail = (last - p_seen)::text;
        end if;
        if exists (
            select 1 from kept k where k.pos > p_seen and (
                (k.op = 0 and (k.bands && p_bands or exists (
                    select 1 from unnest(p_asked) as a (fp)
                    where bit_count((a.fp # k.fp)::bit(64)) <= p_radius)))
                or (k.op = 1 and k.page = any (cited))
                or k.replaces = any (cited))
        ) then
            return query select 1::smallint, k.pos, k.op, k.page, k.replaces, k.fp, k.bands,
                k.print, k.layout, k.url, k.published, k.canonical
                from kept k where k.pos > p_seen order by k.pos;
            return;
        end if;
    end if;
    insert into finished (part, key, gen, page, dup_of, outcome)
        select * from unnest(f_part, f_key, f_gen, f_page, f_dup, f_outcome);
    if cardinality(k_page) > 0 then
        insert into kept (pos, op, page, replaces, fp, bands, print, layout, url, published,
            canonical)
        select last + r.place, r.op, r.page, r.replaces, r.fp,
            case when r.band_count > 0
                then k_bands[r.band_at : r.band_at + r.band_count - 1] end,
            r.print, r.layout, r.url, r.published, r.canonical
        from unnest(k_op, k_page, k_replaces, k_fp, k_band_at, k_band_count, k_print, k_layout,
            k_url, k_published, k_canonical) with ordinality
            as r (op, page, replaces, fp, band_at, band_count, print, layout, url, published,
                  canonical, place);
        update last_kept l set pos = last + cardinality(k_page);
    end if;
    update node n set admitted = n.admitted + p_admitted,
        finished = n.finished + cardinality(f_page), pages = n.pages + p_pages,
        kept = n.kept + cardinality(k_page), journal = p_journal,
        seen = last + cardinality(k_page)
        where n.id = p_node and n.journal < p_journal;
    if not found then
        raise exception 'the journal does not move' using errcode = 'TM005';
    end if;
    if exists (select 1 from node n, shares s
               where n.id = p_node and s.pages_max is not null and n.pages > n.granted) then
        raise exception 'more pages than granted' using errcode = 'TM002';
    end if;
    return query select 0::smallint, last + 1, null::smallint, null::bigint, null::bigint,
        null::bigint, null::int[], null::bytea, null::bigint, null::text, null::bytea, null::bytea;
end $$;

-- A sign of life; what is silent is retired, what is asked for is shared out.
create function beat(
    p_node smallint, p_epoch bigint, p_seen bigint, p_note bytea, p_wants boolean,
    p_release smallint[], p_pages bigint, p_ip inet[], p_slots smallint[],
    p_slots_max smallint[], s_node smallint[], s_epoch bigint[], s_beat bigint[], p_leaves boolean
) returns table (journal bigint, parts smallint[], wanted smallint[], granted bigint,
                 ips inet[], slots smallint[])
language plpgsql security definer set search_path = @schema@, pg_temp as $$
#variable_conflict use_column
declare
    i int;
    live int;
    share int;
    mine int;
begin
    update node n set beat = n.beat + 1, seen = greatest(n.seen, p_seen), note = p_note
        where n.id = p_node and n.epoch = p_epoch and n.state = 'live';
    if not found then
        raise exception 'fenced' using errcode = 'TM001';
    end if;
    perform 1 from shares for no key update;
    for i in 1 .. cardinality(s_node) loop
        -- A row that is locked is at work: it is asked about again with the next beat.
        perform 1 from node n where n.id = s_node[i] and n.epoch = s_epoch[i]
            and n.beat = s_beat[i] and n.state = 'live' and n.id <> p_node
            for no key update skip locked;
        if found then
            perform retire(s_node[i], 'dead');
        end if;
    end loop;
    if p_leaves then
        perform retire(p_node, 'left');
    else
        update part p set node = null where p.node = p_node and p.id = any (p_release);
        perform share_parts(p_node, p_wants);
        perform grant_pages(p_node, p_pages);
        perform share_addresses(p_node, p_ip, p_slots, p_slots_max);
    end if;
    return query select n.journal,
        array(select p.id from part p where p.node = p_node order by p.id),
        array(select p.id from part p where p.node = p_node and p.wanted_by is not null
              order by p.id),
        case when s.pages_max is not null then n.granted end,
        array(select a.ip from address a where a.node = p_node order by a.ip),
        array(select a.slots from address a where a.node = p_node order by a.ip)
        from node n, shares s where n.id = p_node;
end $$;

-- Free parts up to a fair share. A node that has two fewer than the least share marks parts of
-- those that have more; nothing is ever taken from a live node.
create function share_parts(p_node smallint, p_wants boolean) returns void
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    live int;
    mine int;
    least_share int;
begin
    if not p_wants then
        -- What it once asked for is for others.
        update part set wanted_by = null where wanted_by = p_node;
        return;
    end if;
    select count(*) into live from node where state = 'live';
    select count(*) into mine from part where node = p_node;
    update part set node = p_node, wanted_by = null where id in (
        select id from part
        where node is null and (wanted_by is null or wanted_by = p_node)
        order by wanted_by is null, id
        limit greatest(0, (1024 + live - 1) / live - mine));
    select count(*) into mine from part where node = p_node;
    least_share := 1024 / live;
    if mine >= least_share then
        -- What it waited for beyond its share is for others: there are more nodes by now.
        update part set wanted_by = null where wanted_by = p_node;
    end if;
    if mine + 2 <= least_share then
        update part set wanted_by = p_node where id in (
            select r.id from (
                select id, wanted_by,
                    row_number() over (partition by node order by id desc) as place
                from part where node is not null and node <> p_node) r
            where r.place <= greatest(0, (select count(*) from part q where q.node =
                    (select o.node from part o where o.id = r.id)) - least_share)
                and r.wanted_by is null
            order by r.id
            limit greatest(0, least_share - mine
                - (select count(*) from part where wanted_by = p_node)));
    end if;
end $$;

create function grant_pages(p_node smallint, p_pages bigint) returns void
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    more bigint;
begin
    select least(p_pages, 64, pages_max - granted) into more from shares
        where pages_max is not null;
    if more > 0 then
        update shares set granted = granted + more;
        update node set granted = granted + more where id = p_node;
    end if;
end $$;

create function share_addresses(
    p_node smallint, p_ip inet[], p_slots smallint[], p_slots_max smallint[]
) returns void
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    i int;
    others bigint;
    mine bigint;
begin
    for i in 1 .. cardinality(p_ip) loop
        select coalesce(sum(slots), 0) into others from address
            where ip = p_ip[i] and node <> p_node;
        mine := least(p_slots[i], p_slots_max[i] - others);
        delete from address where ip = p_ip[i] and node = p_node;
        if mine > 0 then
            insert into address values (p_ip[i], p_node, mine);
        end if;
    end loop;
end $$;

create function tell(p_node smallint, p_epoch bigint, p_kind text, p_data bytea) returns bigint
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    number bigint;
begin
    perform 1 from node where id = p_node and epoch = p_epoch and state = 'live'
        for no key update;
    if not found then
        raise exception 'fenced' using errcode = 'TM001';
    end if;
    perform 1 from shares for no key update;
    insert into facts (n, node, kind, data)
        select coalesce(max(n), 0) + 1, p_node, p_kind, p_data from facts returning n into number;
    return number;
end $$;

-- Whether a commit whose answer was lost took place. It writes, so that its own commit waits for
-- the standby and says by that that all before it is there too.
create function journal_of(p_node smallint, p_epoch bigint) returns bigint
language sql security definer set search_path = @schema@, pg_temp as $$
    update node set beat = beat + 1 where id = p_node and epoch = p_epoch and state = 'live'
        returning journal;
$$;

revoke execute on all functions in schema @schema@ from public;
grant usage on schema @schema@ to tamis_node, tamis_reader;
grant select on all tables in schema @schema@ to tamis_node, tamis_reader;
grant execute on function join_crawl, open_group, close_group, beat, tell, journal_of
    to tamis_node;
