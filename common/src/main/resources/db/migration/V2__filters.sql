-- What a capture was when it entered the stream. Filters go by it, so that what is owed does not change when a
-- capture is corrected. Null for captures that entered before this migration: they count as what they are now.
alter table stream add column mode text, add column device_id uuid;

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
