-- The tables. What grows is only ever inserted into: no bloat, and vacuum has nothing to do.

create table meta (
    crawl   uuid        not null default gen_random_uuid(),
    created timestamptz not null default now(),
    scheme  text        check (octet_length(scheme) <= 128),
    config  bytea       check (octet_length(config) <= 4194304)
);
create unique index on meta ((true));
insert into meta default values;

create table facts (
    n    bigint      primary key,
    node smallint    not null,
    at   timestamptz not null default now(),
    kind text        not null check (octet_length(kind) <= 128),
    data bytea       not null check (octet_length(data) <= 65536)
);

-- Each node writes its own row only: no counter that all wait for.
create table node (
    id       smallint primary key check (id between 1 and 8191),
    name     text     not null unique check (octet_length(name) <= 128),
    epoch    bigint   not null,
    beat     bigint   not null default 0,
    state    text     not null,
    admitted bigint   not null default 0,
    finished bigint   not null default 0,
    pages    bigint   not null default 0,
    kept     bigint   not null default 0,
    granted  bigint   not null default 0,
    seen     bigint   not null default 0,
    journal  bigint   not null default 0,
    note     bytea    not null default '' check (octet_length(note) <= 4096)
) with (fillfactor = 50);

create table part (
    id        smallint primary key,
    node      smallint,
    wanted_by smallint
) with (fillfactor = 50);
insert into part (id) select generate_series(0, 1023);

create table admitted (
    part     smallint not null,
    key      uuid     not null,
    x        bigint,          -- the transaction, if the part was not the inserting node's own
    page     bigint   not null,
    depth    bigint   not null,
    seed     bigint   not null,
    kind     smallint not null,
    priority real     not null,
    url      text     not null check (octet_length(url) <= 8192),
    context  bytea    not null check (octet_length(context) <= 16384),
    primary key (part, key)
);
create index admitted_by_others on admitted (part, x) where x is not null;

create table finished (
    part    smallint not null,
    key     uuid     not null,
    gen     smallint not null,
    page    bigint   not null,
    dup_of  bigint,
    outcome smallint not null,
    primary key (part, key, gen)
);

create table kept (
    pos       bigint   primary key,
    op        smallint not null,
    page      bigint   not null,
    replaces  bigint,
    fp        bigint   not null,
    bands     int[]    check (cardinality(bands) <= 16),
    print     bytea    not null check (octet_length(print) <= 1024),
    layout    bigint   not null,
    url       text     not null check (octet_length(url) <= 8192),
    published bytea    check (octet_length(published) <= 256),
    canonical bytea    check (octet_length(canonical) <= 8192)
);

-- The lock of the order: whoever holds this row may append to kept.
create table last_kept (pos bigint not null) with (fillfactor = 10);
insert into last_kept values (0);

-- The lock of all that is shared out: parts, addresses, pages.
create table shares (
    pages_max bigint,
    granted   bigint not null default 0,
    check (granted <= pages_max)
) with (fillfactor = 10);
insert into shares default values;

create table address (
    ip    inet     not null,
    node  smallint not null,
    slots smallint not null check (slots > 0),
    primary key (ip, node)
);
