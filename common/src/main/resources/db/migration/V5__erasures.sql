-- How many endpoints and API keys a workspace may have; null for as many as others.
alter table workspaces
  add column max_endpoints integer check (max_endpoints > 0),
  add column max_keys integer check (max_keys > 0);

-- Where a session was opened.
alter table portal_sessions add column remote_address text;

-- How often an attempt sent its request: again if a kept connection ended before an answer, or if the access token was
-- rejected.
alter table attempts add column times smallint not null default 1;

-- -----------------------------------------------------------------------------------------------------------
-- Documents
-- -----------------------------------------------------------------------------------------------------------

-- As before, with the workspace.
create or replace view current_documents as
select d.capture_id, d.revision, d.renderer, d.length, d.crc32, d.checksum, d.deflated, c.workspace_id
from documents d
join captures c on c.id = d.capture_id and c.revision = d.revision
where not exists (select from renames)
  or not exists (
    select from renames r
    where r.workspace_id = c.workspace_id and c.id > r.revised_up_to
      and (r.kind = 'device' and r.named_id = c.device_id or r.kind = 'member' and r.named_id = any(c.members)));

-- -----------------------------------------------------------------------------------------------------------
-- Backfills
-- -----------------------------------------------------------------------------------------------------------

-- What endpoints are still to be notified of: the erasures among the changes from next_number to last_number of
-- their workspaces; nothing if next_number is the higher one. An endpoint has one row, in whatever order captures
-- are erased. id stands for a backfill's in deliveries. A table of its own, because 1.0.0 takes all erasures in
-- backfills for positions of the stream.
create table erasure_backfills (
  endpoint_id uuid primary key references endpoints,
  id uuid not null unique default gen_random_uuid(),
  next_number bigint not null check (next_number > 0),
  last_number bigint not null
);

create index erasure_backfills_open on erasure_backfills (endpoint_id) where next_number <= last_number;

-- Endpoints that are behind, or were: what entered the stream from first_position to last_position is published to them
-- from the stream, in order, and not by fan-out. While there is no last position, that is whatever enters. An endpoint
-- has one row, and has caught up when next_position is beyond the last one. id stands for a backfill's.
create table catch_ups (
  endpoint_id uuid primary key references endpoints,
  id uuid not null unique default gen_random_uuid(),
  first_position bigint not null check (first_position > 0),
  next_position bigint not null check (next_position >= first_position),
  last_position bigint,
  is_done boolean not null default false
);

create index catch_ups_open on catch_ups (endpoint_id) where not is_done;

-- From these positions on, the endpoints are behind, unless they are already. Returns from which position on each of
-- them is, and the head of its stream: everything from the one to the other is published from the stream now.
create function fall_behind(endpoint_ids uuid[], positions bigint[])
returns table (endpoint uuid, first bigint, head bigint) language sql volatile as $$
  insert into catch_ups as c (endpoint_id, first_position, next_position)
  select e.id, fallen.place, fallen.place
  from unnest(endpoint_ids, positions) as fallen (id, place) join endpoints e on e.id = fallen.id
  where e.deleted_at is null
  order by e.id
  on conflict (endpoint_id) do update set
    first_position = case when c.is_done then excluded.first_position else c.first_position end,
    next_position = case when c.is_done then excluded.next_position else c.next_position end,
    last_position = null,
    is_done = false
  returning c.endpoint_id, c.first_position, (
    select w.stream_head from endpoints e join workspaces w on w.id = e.workspace_id where e.id = c.endpoint_id)
$$;

-- Fan-out publishes what enters the stream from now on, if little of it is left to publish to the endpoint. Nothing
-- enters meanwhile, so whatever does later finds this when it is fanned out.
create function join_live(catch_up uuid, left_max bigint) returns void language plpgsql volatile as $$
declare
  head bigint;
begin
  select w.stream_head into head
  from catch_ups c join endpoints e on e.id = c.endpoint_id join workspaces w on w.id = e.workspace_id
  where c.id = catch_up for no key update of w;
  update catch_ups set last_position = head, is_done = next_position > head
  where id = catch_up and last_position is null and next_position > head - left_max;
end
$$;

-- Backfills that are left to publish, by positions or by the numbers of changes. A catch-up that has no last position
-- has always something left, and reaches up to the head.
create view unfinished_backfills as
select id, endpoint_id, origin, origin = 'update' as is_of_changes, only_undelivered, next_position, last_position,
  false as is_open, created_at
from backfills where finished_at is null
union all
select id, endpoint_id, 'erasure', true, false, next_number, last_number, false, null
from erasure_backfills where next_number <= last_number
union all
select c.id, c.endpoint_id, 'live', false, false, c.next_position, coalesce(c.last_position, w.stream_head),
  c.last_position is null, null
from catch_ups c join endpoints e on e.id = c.endpoint_id join workspaces w on w.id = e.workspace_id
where not c.is_done;

-- Positions that finished replays were to send to an endpoint and whose rows in backfills are gone; of many parts,
-- the whole from the first to the last.
alter table endpoints add column replayed int8multirange not null default '{}';

-- As trait_indexes, with those for backfills, and for captures that fill_traits has not come to. A large part of the
-- table would be in the latter before it has.
create function background_indexes() returns table (name text, definition text) language sql stable as $$
  select * from trait_indexes()
  union all values
    ('backfills_open', 'on backfills (endpoint_id, id) where finished_at is null'),
    ('backfills_of_calls', 'on backfills (endpoint_id, created_at, id) where origin not in (''update'', ''erasure'')'),
    ('backfills_by_end', 'on backfills (finished_at) where finished_at is not null and origin <> ''backfill'''),
    ('receipts_by_positions', 'on receipts (endpoint_id, lower(delivered), upper(delivered))')
  union all
  select t.* from (values
    ('stream_without_mode', 'on stream (workspace_id, position) where mode is null'),
    ('changes_without_mode', 'on changes (workspace_id, number) where mode is null')) t
  where exists (select from trait_filling where complete)
$$;

-- Made here where that takes no time, and else in the background. 32 MB are some 150,000 backfills.
do $$
declare
  few_backfills boolean := pg_relation_size('backfills') < 32 * 1024 * 1024;
  few_receipts boolean := pg_total_relation_size('receipts') < 32 * 1024 * 1024;
  no_stream boolean := not exists (select from stream);
  index record;
begin
  for index in
    select * from background_indexes() i
    where to_regclass(i.name) is null and case
      when i.name like 'backfills%' then few_backfills
      when i.name like 'receipts%' then few_receipts
      else no_stream
    end
  loop
    execute 'create index ' || index.name || ' ' || index.definition;
  end loop;
end
$$;

create function has_index(name text) returns boolean language sql stable as $$
  select exists (select from pg_index where indexrelid = to_regclass($1) and indisvalid)
$$;

-- The first endpoint after another with unfinished backfills; null if there is none.
create function next_backfilled(after uuid) returns uuid language sql stable as $$
  select least(
    (select endpoint_id from backfills where finished_at is null and endpoint_id > after order by endpoint_id limit 1),
    (select endpoint_id from erasure_backfills
      where next_number <= last_number and endpoint_id > after order by endpoint_id limit 1),
    (select endpoint_id from catch_ups
      where not is_done and endpoint_id > after order by endpoint_id limit 1))
$$;

-- The backfills that may be published, by endpoint and id, after a given one. Of an endpoint that is paused or
-- deleted, one is looked at, however many there are; of a catch-up, the workspace is named. A catch-up does not wait while its endpoint is paused: what is live
-- is skipped then.
create function open_backfills(after_endpoint uuid, after_id uuid, count_max integer)
returns table (backfill uuid, endpoint uuid, catch_up_of uuid)
language plpgsql stable rows 50 as $$
declare
  is_paused boolean;
  workspace uuid;
  reached uuid := after_endpoint;
  reached_id uuid := after_id;
  missing integer := count_max;
  returned integer;
begin
  if not has_index('backfills_open') then
    return query
    select b.id, b.endpoint_id, case b.origin when 'live' then e.workspace_id end
    from unfinished_backfills b join endpoints e on e.id = b.endpoint_id
    where (not e.paused or b.origin = 'live') and e.deleted_at is null
      and (b.endpoint_id, b.id) > (after_endpoint, after_id)
    order by b.endpoint_id, b.id limit count_max;
    return;
  end if;
  while reached is not null and missing > 0 loop
    select e.paused, e.workspace_id into is_paused, workspace from endpoints e where id = reached and deleted_at is null;
    if is_paused then
      return query
      select c.id, c.endpoint_id, workspace from catch_ups c
      where c.endpoint_id = reached and c.id > reached_id
        and not c.is_done;
    elsif not is_paused then
      return query
      select b.id, b.endpoint_id, case b.origin when 'live' then workspace end from unfinished_backfills b
      where b.endpoint_id = reached and b.id > reached_id order by b.id limit missing;
    end if;
    get diagnostics returned = row_count;
    missing := missing - returned;
    reached := next_backfilled(reached);
    reached_id := '00000000-0000-0000-0000-000000000000';
  end loop;
end
$$;

-- Those of some positions that an endpoint was sent by replays: by the delivery log, or by what remains of it.
create function replayed_places(endpoint uuid, places bigint[]) returns int8multirange
language plpgsql stable as $$
declare
  asked int8multirange;
begin
  -- Only what replays were to send, because receipts may have many parts.
  select range_agg(int8range(p, p, '[]')) * (
      (select replayed from endpoints where id = endpoint) + coalesce((
        select range_agg(int8range(b.first_position, b.last_position, '[]')) from backfills b
        where b.endpoint_id = endpoint and b.origin not in ('update', 'erasure') and b.origin <> 'backfill'
          and b.first_position <= b.last_position), '{}'))
    into asked
  from unnest(places) p;
  if asked is null or isempty(asked) then
    return '{}';
  end if;
  return coalesce((
    select range_agg(sent.part) from (
      select int8range(d.position, d.position, '[]') as part from deliveries d
      where d.endpoint_id = endpoint and d.position = any(places) and d.replay_id is not null
      union all
      select unnest(r.delivered * asked) from receipts r
      where r.endpoint_id = endpoint and lower(r.delivered) < upper(asked) and upper(r.delivered) > lower(asked)
      union all
      select unnest(r.updated * asked) from receipts r where r.endpoint_id = endpoint and r.updated && asked) sent), '{}');
end
$$;

-- Notifies the endpoints that ask for it of the erasures among the changes from first to last. To which of them
-- they are owed shows when they are published.
create function announce_erasures(workspace uuid, first bigint, last bigint) returns void
language sql volatile as $$
  insert into erasure_backfills as b (endpoint_id, next_number, last_number)
  select e.id, first, last from endpoints e
  where e.workspace_id = workspace and e.spec->'events' ? 'capture.erased' and e.deleted_at is null
  order by e.id
  on conflict (endpoint_id) do update set
    next_number = case when b.next_number > b.last_number then excluded.next_number else b.next_number end,
    last_number = excluded.last_number
$$;

-- For calls of erase_capture that began before this migration.
create or replace function announce_erasure(workspace uuid, place bigint) returns void language sql volatile as $$
  select announce_erasures(workspace, x.number, x.number)
  from stream s join changes x on x.capture_id = s.capture_id
  where s.workspace_id = workspace and s.position = place
$$;

-- -----------------------------------------------------------------------------------------------------------
-- Changes without a mode
-- -----------------------------------------------------------------------------------------------------------

-- As before, and captures that fill_traits has not come to get here what they were, in its order.
create or replace function enter_changes(capture_ids uuid[]) returns void
language plpgsql volatile as $$
declare
  workspace uuid;
  changed uuid[];
  erased boolean[];
  head bigint;
  at timestamptz;
begin
  perform from stream where capture_id = any(capture_ids) and mode is null
    order by workspace_id, position for no key update;
  if found then
    update stream s set mode = c.mode, device_id = c.device_id
    from captures c where s.capture_id = any(capture_ids) and c.id = s.capture_id and s.mode is null;
  end if;
  for workspace, changed, erased in
    select c.workspace_id, array_agg(c.id order by c.id), array_agg(c.erased_at is not null order by c.id) from captures c
    where c.id = any(capture_ids) and c.entered group by 1 order by 1
  loop
    insert into change_heads as h (workspace_id, number) values (workspace, cardinality(changed))
    on conflict (workspace_id) do update set number = h.number + excluded.number
    returning number into head;
    at := clock_timestamp();
    delete from changes where capture_id = any(changed);
    insert into changes (workspace_id, number, capture_id, changed_at, erased, mode, device_id)
    select workspace, head - cardinality(changed) + c.nth, c.id, at, c.is_erased, s.mode, s.device_id
    from unnest(changed, erased) with ordinality as c(id, is_erased, nth)
    left join lateral (select mode, device_id from stream where capture_id = c.id limit 1) s on true;
    insert into change_marks (workspace_id, last_number, mark)
    values (workspace, head, ('x' || encode(substr(uuid_send(gen_random_uuid()), 9, 8), 'hex'))::bit(64)::bigint);
    if false = any(erased) then
      perform announce_updates(workspace, head - cardinality(changed) + 1, head);
    end if;
  end loop;
end
$$;

-- As before, and after everything was filled also what lacks a mode nevertheless: a call that began before the
-- column was there may have entered it later. That is found by indexes that are made once everything was filled.
create or replace function fill_traits(chunk_max integer) returns boolean
language plpgsql volatile as $$
declare
  walks boolean := not exists (select from trait_filling where complete);
  reached trait_filling;
  ids uuid[];
  entered bigint;
  changed bigint;
begin
  if not walks then
    if not has_index('stream_without_mode') or not has_index('changes_without_mode') then
      return false;
    end if;
    ids := array(select capture_id from stream where mode is null order by workspace_id, position limit chunk_max)
      || array(select capture_id from changes where mode is null order by workspace_id, number limit chunk_max);
  else
    select * into reached from trait_filling for update skip locked;
    if not found then
      return false;
    end if;
    with next as materialized (
      select workspace_id, position, capture_id from stream
      where (workspace_id, position) > (reached.workspace_id, reached.position)
      order by workspace_id, position limit chunk_max),
    last as (select workspace_id, position from next order by workspace_id desc, position desc limit 1),
    advanced as (
      update trait_filling f set workspace_id = last.workspace_id, position = last.position,
        filled = f.filled + (select count(*) from next)
      from last)
    select coalesce(array_agg(capture_id), '{}') into ids from next;
    if ids = '{}' then
      update trait_filling set complete = true;
    end if;
  end if;
  if ids = '{}' then
    return false;
  end if;
  perform from stream where capture_id = any(ids) and mode is null
    order by workspace_id, position for no key update;
  update stream s set mode = c.mode, device_id = c.device_id
  from captures c where s.capture_id = any(ids) and c.id = s.capture_id and s.mode is null;
  get diagnostics entered = row_count;
  update changes x set mode = s.mode, device_id = s.device_id
  from stream s where x.capture_id = any(ids) and s.capture_id = x.capture_id and x.mode is null;
  get diagnostics changed = row_count;
  return walks or entered + changed > 0;
end
$$;

-- -----------------------------------------------------------------------------------------------------------
-- Erasures
-- -----------------------------------------------------------------------------------------------------------

-- Erased captures whose receivers' answers are still in the delivery log.
create table answers_to_forget (
  capture_id uuid primary key,
  workspace_id uuid not null
);

create index answers_to_forget_by_workspace on answers_to_forget (workspace_id);

-- Adds positions to the erased spans, joining those that they touch.
create function add_erased_positions(workspace uuid, places int8multirange) returns void
language plpgsql volatile as $$
declare
  added int8range;
begin
  for added in select unnest(places) loop
    with near as (
      select last_position from erased_spans
      where workspace_id = workspace and last_position >= lower(added) - 1 order by last_position limit 2),
    touching as (
      delete from erased_spans s using near
      where s.workspace_id = workspace and s.last_position = near.last_position and s.first_position <= upper(added)
      returning s.first_position, s.last_position)
    insert into erased_spans (workspace_id, first_position, last_position)
    select workspace, least(lower(added), min(first_position)), greatest(upper(added) - 1, max(last_position))
    from touching;
  end loop;
end
$$;

-- As before, but for captures that are dated later than one that entered after them, because the clock was set back
-- in between: each is kept for its time.
create or replace function expired_captures(workspace uuid, instant timestamptz, chunk_max integer) returns setof uuid
language plpgsql stable as $$
declare
  up_to bigint := stream_position_before(workspace, instant);
  erased erased_spans;
begin
  select * into erased from erased_spans where workspace_id = workspace order by last_position limit 1;
  return query
  select s.capture_id from stream s
  where s.workspace_id = workspace and s.position <= up_to and s.entered_at < instant
    and s.position > case when erased.first_position = 1 then erased.last_position else 0 end
    and not exists (select from erasures e where e.capture_id = s.capture_id)
  order by s.position limit chunk_max;
  return query
  select id from captures
  where workspace_id = workspace and not entered and erased_at is null and created_at < instant
  order by created_at limit chunk_max;
end
$$;

-- Erases the content of captures, and returns their erasures; nothing for those that do not exist, or whose
-- workspaces are on legal hold. Erased captures stay as they are.
--
-- The lock of a workspace keeps it from being put on hold until the erasure is visible, and lets captures enter its
-- stream. Documents become ones of the highest revision, so that none that is still being rendered can be stored
-- after this. Captures are locked before heads.
create function erase_captures(capture_ids uuid[], actor text, reason text) returns setof erasures
language plpgsql volatile as $$
declare
  erasing uuid[];
  workspace uuid;
  entered uuid[];
  places int8multirange;
  last bigint;
begin
  perform from workspaces w where w.id in (select workspace_id from captures where id = any(capture_ids))
    order by w.id for key share;
  perform from captures where id = any(capture_ids) order by id for no key update;
  erasing := array(
    select c.id from captures c join workspaces w on w.id = c.workspace_id
    where c.id = any(capture_ids) and c.erased_at is null and not w.legal_hold order by c.id);
  if cardinality(erasing) > 0 then
    update captures set title = null, speakers = '{}', members = '{}', digest = '', revision = revision + 1,
      updated_at = now(), erased_at = now()
    where id = any(erasing);
    insert into documents (capture_id, revision, renderer, length, crc32, checksum, deflated)
    select id, 9223372036854775807, 32767, 0, 0, 0, '' from unnest(erasing) as id
    on conflict (capture_id) do update
    set revision = excluded.revision, renderer = excluded.renderer, length = 0, crc32 = 0, checksum = 0, deflated = '';
    insert into erasures (capture_id, workspace_id, erased_by, reason)
    select c.id, c.workspace_id, actor, erase_captures.reason from captures c where c.id = any(erasing);
    insert into answers_to_forget (capture_id, workspace_id)
    select c.id, c.workspace_id from captures c where c.id = any(erasing) and c.entered;
    perform enter_changes(erasing);
    for workspace, entered, places in
      select s.workspace_id, array_agg(s.capture_id order by s.capture_id),
        range_agg(int8range(s.position, s.position, '[]'))
      from stream s where s.capture_id = any(erasing) group by 1 order by 1
    loop
      -- The newest changes of the workspace are these, since enter_changes.
      update change_heads h set erased = h.erased + cardinality(entered),
        erased_chain = (select chain(coalesce(h.erased_chain, 1), id order by id) from unnest(entered) as id)
      where h.workspace_id = workspace
      returning h.number into last;
      perform add_erased_positions(workspace, places);
      perform announce_erasures(workspace, last - cardinality(entered) + 1, last);
    end loop;
  end if;
  return query select e.* from erasures e where e.capture_id = any(capture_ids);
end
$$;

-- As erase_captures, of one.
create or replace function erase_capture(capture uuid, actor text, reason text) returns setof erasures
language sql volatile as $$
  select * from erase_captures(array[capture], actor, reason)
$$;
