-- An erased capture keeps its row, without what was said, and its place in the stream.
alter table captures add column erased_at timestamptz;

-- Erased captures. number counts up per workspace without gaps, in the order in which the erasures become visible, and
-- chain is computed as in stream, from another
-- beginning; both are null for a capture that was never in the stream, of which no reader knows.
create table erasures (
  capture_id uuid primary key references captures,
  workspace_id uuid not null,
  number bigint check (number > 0),
  chain bigint,
  erased_at timestamptz not null default now(),
  erased_by text,
  reason text not null,
  check ((number is null) = (chain is null))
);

create unique index erasures_by_workspace on erasures (workspace_id, number);

create function refuse_erasure_change() returns trigger language plpgsql as $$
begin
  raise exception 'erasures are insert-only: % refused', tg_op using errcode = 'restrict_violation';
end
$$;

create trigger erasures_are_insert_only before update or delete or truncate on erasures
  for each statement execute function refuse_erasure_change();

-- The newest erasure of each workspace that has one. Its lock puts a workspace's erasures in order. Not part of
-- workspaces, whose rows the sweep locks. members is the number of erased members. The three say which erasures a server
-- has: a standby that has not replayed all of them must not answer.
create table erasure_heads (
  workspace_id uuid primary key references workspaces,
  number bigint not null default 0,
  chain bigint not null default 0,
  members bigint not null default 0
);

-- The erased positions of each stream as disjoint spans that do not touch, so that pages skip any number of them in one
-- step: between two spans is at least one capture.
create table erased_spans (
  workspace_id uuid not null,
  last_position bigint not null,
  first_position bigint not null check (first_position > 0 and first_position <= last_position),
  primary key (workspace_id, last_position)
);

create function add_erased_position(workspace uuid, erased bigint) returns void
language sql volatile as $$
  with near as (
    select last_position from erased_spans
    where workspace_id = workspace and last_position >= erased - 1 order by last_position limit 2),
  touching as (
    delete from erased_spans s using near
    where s.workspace_id = workspace and s.last_position = near.last_position and s.first_position <= erased + 1
    returning s.first_position, s.last_position)
  insert into erased_spans (workspace_id, first_position, last_position)
  select workspace, least(erased, min(first_position)), greatest(erased, max(last_position)) from touching
$$;

-- The next rows of a stream that were not erased, at most count_max. Each span is skipped in one step, and leads to at least
-- one row.
create function readable_rows(workspace uuid, after bigint, count_max integer) returns setof stream
language plpgsql stable rows 50 as $$
declare
  reached bigint := after;
  missing integer := count_max;
  returned integer;
  erased erased_spans;
begin
  while missing > 0 loop
    select * into erased from erased_spans s
    where s.workspace_id = workspace and s.last_position > reached order by s.last_position limit 1;
    return query
    select s.* from stream s
    where s.workspace_id = workspace and s.position > reached
      and s.position < coalesce(erased.first_position, 9223372036854775807)
    order by s.position limit missing;
    get diagnostics returned = row_count;
    missing := missing - returned;
    exit when erased.last_position is null;
    reached := erased.last_position;
  end loop;
end
$$;

-- Endpoints can subscribe to erasures. Each notification is part of a backfill, so that it is published, retried, listed
-- and found again like other deliveries.
alter table endpoints add column erasures boolean not null default false;

alter table backfills drop constraint backfills_origin_check;
alter table backfills add constraint backfills_origin_check
  check (origin in ('backfill', 'replay', 'redelivery', 'erasure'));
alter table deliveries drop constraint deliveries_origin_check;
alter table deliveries add constraint deliveries_origin_check
  check (origin in ('live', 'backfill', 'replay', 'redelivery', 'erasure'));

create index backfills_of_erasures on backfills (endpoint_id, last_position)
  where origin = 'erasure' and finished_at is null;

-- Notifies the subscribed endpoints to which the capture was owed. Erasures of consecutive positions, such as those of a
-- retention, share a backfill until it is published.
create function announce_erasure(workspace uuid, place bigint) returns void language sql volatile as $$
  with notified as (
    select e.id from endpoints e
    where e.workspace_id = workspace and e.erasures and e.deleted_at is null
      and (e.full_history or e.created_position < place or exists (
        select from deliveries d where d.endpoint_id = e.id and d.position = place and d.replay_id is not null))),
  extended as (
    update backfills b set last_position = place from notified
    where b.endpoint_id = notified.id and b.origin = 'erasure' and b.finished_at is null and b.last_position = place - 1
    returning b.endpoint_id)
  insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position)
  select gen_random_uuid(), id, 'erasure', place, place, place from notified
  where id not in (select endpoint_id from extended)
$$;

-- Erases what a capture says, and returns its erasure; nothing if it does not exist, or has no position yet although it
-- is on its way into the stream. An erased capture stays as it is.
--
-- Its document becomes one of the highest revision, so that none that is still being rendered can be stored after this.
create function erase_capture(capture uuid, actor text, reason text) returns setof erasures
language plpgsql volatile as $$
declare
  erased captures;
  place bigint;
  head erasure_heads;
begin
  select * into erased from captures where id = capture for no key update;
  if not found then
    return;
  end if;
  if erased.erased_at is null then
    select position into place from stream where capture_id = capture;
    if erased.entered and place is null then
      return;
    end if;
    update captures set title = null, summary = null, segments = '[]', digest = '', revision = revision + 1,
      updated_at = now(), erased_at = now()
    where id = capture;
    delete from participants where capture_id = capture;
    insert into documents (capture_id, revision, renderer, length, crc32, checksum, deflated)
    values (capture, 9223372036854775807, 32767, 0, 0, 0, '')
    on conflict (capture_id) do update
    set revision = excluded.revision, renderer = excluded.renderer, length = 0, crc32 = 0, checksum = 0, deflated = '';
    if place is not null then
      insert into erasure_heads as h (workspace_id, number, chain)
      values (erased.workspace_id, 1, next_chain(null, 1, capture))
      on conflict (workspace_id) do update set number = h.number + 1, chain = next_chain(h.chain, 1, capture)
      returning * into head;
      perform add_erased_position(erased.workspace_id, place);
      perform announce_erasure(erased.workspace_id, place);
    end if;
    insert into erasures (capture_id, workspace_id, number, chain, erased_by, reason)
    values (capture, erased.workspace_id, head.number, head.chain, actor, erase_capture.reason);
  end if;
  return query select * from erasures where capture_id = capture;
end
$$;
