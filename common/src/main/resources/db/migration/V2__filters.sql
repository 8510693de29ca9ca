-- -----------------------------------------------------------------------------------------------------------
-- What captures were when they entered
-- -----------------------------------------------------------------------------------------------------------

-- Filters go by what a capture was when it entered the stream, so that what is owed or read does not change when
-- it is corrected. Null for captures that entered before this migration, until fill_traits comes to them: they
-- count as what they are.
alter table stream add column mode text, add column device_id uuid;
alter table changes add column mode text, add column device_id uuid;

-- For readers of a few captures among many. A large table would be locked while they are made, so they are made
-- here only while it is empty, and else in the background.
create function trait_indexes() returns table (name text, definition text) language sql immutable as $$
  values
    ('stream_by_device', 'on stream (workspace_id, device_id, mode, position) where mode is not null'),
    ('stream_by_mode', 'on stream (workspace_id, mode, position) where mode is not null'),
    ('changes_by_device', 'on changes (workspace_id, device_id, mode, number) where mode is not null'),
    ('changes_by_mode', 'on changes (workspace_id, mode, number) where mode is not null')
$$;

do $$
declare
  index record;
begin
  if not exists (select from stream) then
    for index in select * from trait_indexes() loop
      execute 'create index ' || index.name || ' ' || index.definition;
    end loop;
  end if;
end
$$;

-- What a capture was may be added; what a cursor rests on stays as it is.
create or replace trigger stream_is_insert_only
  before update of workspace_id, position, capture_id, chain, entered_at or delete or truncate on stream
  for each statement execute function refuse_change();

-- How far fill_traits is, by workspace and position.
create table trait_filling (
  only_row boolean primary key default true check (only_row),
  workspace_id uuid not null default '00000000-0000-0000-0000-000000000000',
  position bigint not null default 0,
  filled bigint not null default 0,
  complete boolean not null
);

insert into trait_filling (complete) select not exists (select from stream);

-- Adds what they were to up to chunk_max captures that entered before this migration. Returns false if nothing is
-- left, or if another process is working on it.
create function fill_traits(chunk_max integer) returns boolean
language plpgsql volatile as $$
declare
  reached trait_filling;
  ids uuid[];
begin
  select * into reached from trait_filling where not complete for update skip locked;
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
  select array_agg(capture_id) into ids from next;
  if ids is null then
    update trait_filling set complete = true;
    return false;
  end if;
  update stream s set mode = c.mode, device_id = c.device_id
  from captures c where s.capture_id = any(ids) and c.id = s.capture_id and s.mode is null;
  update changes x set mode = s.mode, device_id = s.device_id
  from stream s where x.capture_id = any(ids) and s.capture_id = x.capture_id and x.mode is null;
  return true;
end
$$;

-- -----------------------------------------------------------------------------------------------------------
-- Endpoints with filters
-- -----------------------------------------------------------------------------------------------------------

-- The filters that an endpoint has had, as {"after": position, "filter": filter or null}, by position: each
-- holds for what enters after its position, until the next one does. Empty for an endpoint that gets all.
-- spec->'filter' is the newest.
alter table endpoints add column filters jsonb not null default '[]';

-- As before, and also records what a capture is.
create or replace function enter_stream(capture_ids uuid[], workspace_ids uuid[], traceparents text[])
returns setof outbox
language plpgsql volatile as $$
declare
  entering_at timestamptz;
begin
  perform from (select distinct unnest(workspace_ids) as id order by 1) entering
    cross join lateral (select from workspaces w where w.id = entering.id limit 1 for no key update) locked;
  entering_at := clock_timestamp();
  return query
  with numbered as (
    select e.capture_id, e.workspace_id, e.traceparent,
      w.stream_head + row_number() over ordered as position,
      chain(w.stream_chain, e.capture_id) over ordered as chain
    from unnest(capture_ids, workspace_ids, traceparents) with ordinality
      as e(capture_id, workspace_id, traceparent, nth)
    cross join lateral (select stream_head, stream_chain from workspaces where id = e.workspace_id limit 1) w
    window ordered as (partition by e.workspace_id order by e.nth rows unbounded preceding)),
  heads as (
    insert into workspaces (id, stream_head, stream_chain)
    select distinct on (n.workspace_id) n.workspace_id, n.position, n.chain
    from numbered n order by n.workspace_id, n.position desc
    on conflict (id) do update set stream_head = excluded.stream_head, stream_chain = excluded.stream_chain),
  entered as (
    insert into stream (workspace_id, position, capture_id, chain, entered_at, mode, device_id)
    select n.workspace_id, n.position, n.capture_id, n.chain, entering_at, c.mode, c.device_id
    from numbered n
    left join lateral (select mode, device_id from captures where id = n.capture_id limit 1) c on true)
  insert into outbox as o (workspace_id, position, capture_id, entered_at, traceparent)
  select n.workspace_id, n.position, n.capture_id, entering_at, n.traceparent
  from numbered n order by n.workspace_id, n.position
  returning o.sequence, o.workspace_id, o.position, o.capture_id, o.entered_at, o.traceparent;
end
$$;

-- Whether a filter wants a capture; null wants all.
create function wants(filter jsonb, entered stream) returns boolean
language plpgsql stable parallel safe as $$
declare
  capture_mode text := entered.mode;
  capture_device uuid := entered.device_id;
begin
  if filter is null or filter = 'null' then
    return true;
  end if;
  if capture_mode is null then
    select mode, device_id into capture_mode, capture_device from captures where id = entered.capture_id;
  end if;
  return (coalesce(filter->'modes', 'null') = 'null' or filter->'modes' ? capture_mode)
    and (coalesce(filter->'devices', 'null') = 'null' or filter->'devices' ? capture_device::text);
end
$$;

-- Whether the filter that held when a capture entered wants it.
create function admits(filters jsonb, entered stream) returns boolean
language plpgsql stable parallel safe as $$
begin
  return filters = '[]' or wants(
    (select held->'filter' from jsonb_array_elements(filters) with ordinality as h(held, nth)
     where (held->>'after')::bigint < entered.position order by nth desc limit 1),
    entered);
end
$$;

-- As before, for the endpoints to which the capture was owed by their filters.
create or replace function announce_erasure(workspace uuid, place bigint) returns void language sql volatile as $$
  with notified as (
    select e.id from endpoints e join stream s on s.workspace_id = e.workspace_id and s.position = place
    where e.workspace_id = workspace and e.spec->'events' ? 'capture.erased' and e.deleted_at is null
      and ((e.full_history or e.created_position < place) and admits(e.filters, s) or exists (
        select from deliveries d where d.endpoint_id = e.id and d.position = place and d.replay_id is not null))),
  extended as (
    update backfills b set last_position = place from notified
    where b.endpoint_id = notified.id and b.origin = 'erasure' and b.finished_at is null and b.last_position = place - 1
    returning b.endpoint_id)
  insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position)
  select gen_random_uuid(), id, 'erasure', place, place, place from notified
  where id not in (select endpoint_id from extended)
$$;

-- -----------------------------------------------------------------------------------------------------------
-- Keys with filters
-- -----------------------------------------------------------------------------------------------------------

-- The filter of a key never changes; null for one that reads everything. The hash of a key with a filter is made
-- in another way, so that earlier releases, which know no filters, do not find it.
alter table api_keys add column filter jsonb;
alter table readers add column filter jsonb;

-- As before, with the filter.
create or replace function keep_reader() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into readers (key_id, workspace_id, name, last_four, created_at, filter)
    values (new.id, new.workspace_id, new.name, new.last_four, new.created_at, new.filter);
  else
    update readers set ended_at = now(), last_used_at = old.last_used_at where key_id = old.id;
  end if;
  return null;
end
$$;

-- As before, and also records what a capture was.
create or replace function enter_changes(capture_ids uuid[]) returns void
language plpgsql volatile as $$
declare
  workspace uuid;
  changed uuid[];
  erased boolean[];
  head bigint;
  at timestamptz;
begin
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

-- The modes of the captures of a device, or of all if device is null: those that are there, so that one which a
-- later release adds is among them. A look into an index for each.
create function modes_of(workspace uuid, device uuid) returns setof text
language plpgsql stable parallel safe as $$
declare
  reached text := '';
begin
  loop
    if device is null then
      select mode into reached from stream
      where workspace_id = workspace and mode > reached order by mode limit 1;
    else
      select mode into reached from stream
      where workspace_id = workspace and device_id = device and mode > reached order by mode limit 1;
    end if;
    exit when reached is null;
    return next reached;
  end loop;
end
$$;

-- The kinds of captures that a filter wants, for a look into an index each; device_id is null if it wants all
-- devices.
create function wanted_kinds(workspace uuid, filter jsonb) returns table (device_id uuid, mode text)
language sql stable parallel safe as $$
  select d.id, m.name
  from (
    select nullif(id, '')::uuid as id from jsonb_array_elements_text(
      case when coalesce(filter->'devices', 'null') = 'null' then '[""]' else filter->'devices' end) as id) d
    cross join lateral (
      select name from jsonb_array_elements_text(
        case when coalesce(filter->'modes', 'null') = 'null' then '[]' else filter->'modes' end) as name
      union all
      select name from modes_of(workspace, d.id) as name where coalesce(filter->'modes', 'null') = 'null') m
$$;

-- Like readable_rows, of the captures that a filter wants. What was erased before all others, as a retention
-- does, is skipped in one step.
create function limited_rows(workspace uuid, filter jsonb, after bigint, count_max integer) returns setof stream
language plpgsql stable rows 50 as $$
declare
  reached bigint := greatest(after, coalesce((
    select last_position from erased_spans
    where workspace_id = workspace and last_position > after and first_position <= after + 1), 0));
begin
  return query
  select s.* from wanted_kinds(workspace, filter) k
  cross join lateral (
    (select * from stream t
      where t.workspace_id = workspace and t.device_id = k.device_id and t.mode = k.mode and t.position > reached
        and not exists (select from erasures e where e.capture_id = t.capture_id)
      order by t.position limit count_max)
    union all
    (select * from stream t
      where k.device_id is null and t.workspace_id = workspace and t.mode = k.mode and t.position > reached
        and not exists (select from erasures e where e.capture_id = t.capture_id)
      order by t.position limit count_max)) s
  order by s.position limit count_max;
end
$$;

-- The newest position of a capture that a filter wants and that was not erased; 0 if there is none.
create function limited_head(workspace uuid, filter jsonb) returns bigint
language plpgsql stable as $$
declare
  head bigint := (
    select coalesce((
      select first_position - 1 from erased_spans
      where workspace_id = workspace and last_position = w.stream_head), w.stream_head)
    from workspaces w where id = workspace);
begin
  return coalesce((
    select max(s.position) from wanted_kinds(workspace, filter) k
    cross join lateral (
      (select t.position from stream t
        where t.workspace_id = workspace and t.device_id = k.device_id and t.mode = k.mode and t.position <= head
          and not exists (select from erasures e where e.capture_id = t.capture_id)
        order by t.position desc limit 1)
      union all
      (select t.position from stream t
        where k.device_id is null and t.workspace_id = workspace and t.mode = k.mode and t.position <= head
          and not exists (select from erasures e where e.capture_id = t.capture_id)
        order by t.position desc limit 1)) s), 0);
end
$$;

-- The next changes of captures that a filter wants.
create function limited_changes(workspace uuid, filter jsonb, after bigint, count_max integer) returns setof changes
language plpgsql stable rows 50 as $$
begin
  return query
  select s.* from wanted_kinds(workspace, filter) k
  cross join lateral (
    (select * from changes t
      where t.workspace_id = workspace and t.device_id = k.device_id and t.mode = k.mode and t.number > after
      order by t.number limit count_max)
    union all
    (select * from changes t
      where k.device_id is null and t.workspace_id = workspace and t.mode = k.mode and t.number > after
      order by t.number limit count_max)) s
  order by s.number limit count_max;
end
$$;

-- The number of the newest change of a capture that a filter wants; 0 if there is none.
create function limited_changes_head(workspace uuid, filter jsonb) returns bigint
language plpgsql stable as $$
begin
  return coalesce((
    select max(s.number) from wanted_kinds(workspace, filter) k
    cross join lateral (
      (select t.number from changes t
        where t.workspace_id = workspace and t.device_id = k.device_id and t.mode = k.mode
        order by t.number desc limit 1)
      union all
      (select t.number from changes t
        where k.device_id is null and t.workspace_id = workspace and t.mode = k.mode
        order by t.number desc limit 1)) s), 0);
end
$$;
