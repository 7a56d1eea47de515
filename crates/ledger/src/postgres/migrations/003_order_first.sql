-- Groups that take the order before they are judged, and URLs that are put back.

-- A URL that was finished waits again; `gen` is the number of its next end.
create table reopened (
    part    smallint not null,
    key     uuid     not null,
    gen     smallint not null,
    x       bigint,          -- the transaction, if another than the part's node put it back
    context bytea    not null check (octet_length(context) <= 16384),
    primary key (part, key, gen)
);
create index reopened_by_others on reopened (part, x) where x is not null;
grant select on reopened to tamis_node, tamis_reader;

-- Seeds, and where they redirect.
create index roots on admitted (part) where depth = 0;

-- The order is locked first, then the node's own row: a beat of the same node does not wait for a
-- group that waits for its turn. Nobody who holds `shares` or a node's row asks for the order.
create function begin_group(p_node smallint, p_epoch bigint, p_seen bigint)
returns table (pos bigint, op smallint, page bigint, replaces bigint, fp bigint, bands int[],
               print bytea, layout bigint, url text, published bytea, canonical bytea)
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    last bigint;
begin
    select l.pos into last from last_kept l for no key update;
    perform 1 from node n where n.id = p_node and n.epoch = p_epoch and n.state = 'live'
        for no key update;
    if not found then
        raise exception 'fenced' using errcode = 'TM001';
    end if;
    if p_seen > last then
        raise exception 'ahead' using errcode = 'TM004', detail = last::text;
    end if;
    if last - p_seen > 4096 then
        raise exception 'behind' using errcode = 'TM003', detail = (last - p_seen)::text;
    end if;
    return query select k.pos, k.op, k.page, k.replaces, k.fp, k.bands, k.print, k.layout, k.url,
        k.published, k.canonical from kept k where k.pos > p_seen order by k.pos;
end $$;

create function reopen_urls(
    p_node smallint, p_epoch bigint, p_part smallint[], p_key uuid[], p_context bytea[]
) returns void
language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
    perform 1 from node n where n.id = p_node and n.epoch = p_epoch and n.state = 'live'
        for no key update;
    if not found then
        raise exception 'fenced' using errcode = 'TM001';
    end if;
    insert into reopened (part, key, gen, context)
        select u.part, u.key,
            1 + (select count(*) from reopened r where r.part = u.part and r.key = u.key), u.context
        from unnest(p_part, p_key, p_context) as u (part, key, context);
    update node set admitted = admitted + cardinality(p_key) where id = p_node;
end $$;

-- The end of a URL that was put back has a number of its own.
create function number_end() returns trigger
language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
    new.gen := greatest(new.gen,
        (select count(*) from reopened r where r.part = new.part and r.key = new.key));
    return new;
end $$;
create trigger number_end before insert on finished for each row
    when (new.gen = 0) execute function number_end();

-- Fewer than none: pages that were granted and are not needed go back.
create or replace function grant_pages(p_node smallint, p_pages bigint) returns void
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    more bigint;
begin
    if p_pages < 0 then
        select -least(-p_pages, n.granted - n.pages) into more from node n, shares s
            where n.id = p_node and s.pages_max is not null;
    else
        select least(p_pages, 64, pages_max - granted) into more from shares
            where pages_max is not null;
    end if;
    if more <> 0 then
        update shares set granted = granted + more;
        update node set granted = granted + more where id = p_node;
    end if;
end $$;

-- A node's disk is lost, and with it what it kept: its texts are withdrawn, and the URLs that it
-- finished wait again, with those of other nodes that were dropped for repeating its pages. Its
-- name is free for a new directory. For the owner alone.
create function forget_node(p_name text)
returns table (number smallint, texts bigint, urls bigint, copies bigint)
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
    last bigint;
    n node;
    lo bigint;
    hi bigint;
    withdrawn bigint;
    back bigint;
    repeated bigint;
begin
    select l.pos into last from last_kept l for no key update;
    select o.* into n from node o where o.name = p_name for no key update;
    if not found then
        raise exception 'no such node' using errcode = 'TM006';
    end if;
    if n.state = 'live' then
        raise exception 'the node is alive' using errcode = 'TM007';
    end if;
    perform 1 from shares for no key update;
    perform retire(n.id, 'left');
    lo := n.id::bigint << 40;
    hi := (n.id::bigint + 1) << 40;
    with gone as (
        select k.page, k.url, row_number() over (order by k.pos) as place from kept k
        where k.op = 0 and k.page >= lo and k.page < hi
            and not exists (select 1 from kept r where r.replaces = k.page)
            and not exists (select 1 from kept w where w.op = 1 and w.page = k.page)
    ), added as (
        insert into kept (pos, op, page, fp, print, layout, url)
        select last + place, 1, page, 0, '', 0, url from gone returning 1
    )
    select count(*) into withdrawn from added;
    update last_kept set pos = last + withdrawn;
    with ends as (
        select f.part, f.key, f.gen, f.page from finished f
        where ((f.page >= lo and f.page < hi) or (f.dup_of >= lo and f.dup_of < hi))
            and f.gen = (select count(*) from reopened r where r.part = f.part and r.key = f.key)
    ), added as (
        insert into reopened (part, key, gen, x, context)
        select e.part, e.key, e.gen + 1, pg_current_xact_id()::text::bigint, a.context
        from ends e join admitted a on a.part = e.part and a.key = e.key
        returning part, key
    )
    select count(*), count(*) filter (where e.page < lo or e.page >= hi) into back, repeated
        from added a join ends e on e.part = a.part and e.key = a.key;
    update node o set admitted = o.admitted + back,
        name = left(o.name, 90) || ' (forgotten ' || o.id || ')' where o.id = n.id;
    insert into facts (n, node, kind, data)
        select coalesce(max(f.n), 0) + 1, n.id, 'forgotten', convert_to(p_name, 'UTF8')
        from facts f;
    return query select n.id, withdrawn, back, repeated;
end $$;

revoke execute on function begin_group, reopen_urls, number_end, forget_node from public;
grant execute on function begin_group, reopen_urls to tamis_node;
