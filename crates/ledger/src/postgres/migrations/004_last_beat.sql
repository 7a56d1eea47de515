-- When a node's counter moved last, by the store's clock: for people. Who is dead is decided by the
-- counters alone.
alter table node add column beaten timestamptz not null default now();

create function note_beat() returns trigger
language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
    new.beaten := clock_timestamp();
    return new;
end $$;
create trigger note_beat before update on node for each row
    when (new.beat > old.beat) execute function note_beat();

revoke execute on function note_beat from public;
