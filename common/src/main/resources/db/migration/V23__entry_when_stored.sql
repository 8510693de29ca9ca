-- A capture gets its position in the transaction that stores it. What waits for one gets it now.
do $$
begin
  while exists (select from stream_inbox) loop
    perform sweep(0, 1000);
  end loop;
end
$$;

drop function sweep_if_free(bigint, integer);
drop function sweep(bigint, integer);
drop table stream_inbox;
alter table outbox drop column finished_at;

-- Appends captures to the streams of their workspaces, in the given order. Returns the rows of the outbox.
--
-- The workspaces' rows are locked until the transaction is visible, so positions of a workspace become visible in order. Each
-- statement after the lock sees what earlier holders did. entered_at is read under the lock, so it increases with the position.
--
-- Only these workspaces are read: by lookups, and by "on conflict", which always uses the key.
create function enter_stream(capture_ids uuid[], workspace_ids uuid[], traceparents text[]) returns setof outbox
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
    from unnest(capture_ids, workspace_ids, traceparents) with ordinality as e(capture_id, workspace_id, traceparent, nth)
    cross join lateral (select stream_head, stream_chain from workspaces where id = e.workspace_id limit 1) w
    window ordered as (partition by e.workspace_id order by e.nth rows unbounded preceding)),
  heads as (
    insert into workspaces (id, stream_head, stream_chain)
    select distinct on (n.workspace_id) n.workspace_id, n.position, n.chain
    from numbered n order by n.workspace_id, n.position desc
    on conflict (id) do update set stream_head = excluded.stream_head, stream_chain = excluded.stream_chain),
  entered as (
    insert into stream (workspace_id, position, capture_id, chain, entered_at)
    select n.workspace_id, n.position, n.capture_id, n.chain, entering_at from numbered n)
  insert into outbox as o (workspace_id, position, capture_id, entered_at, traceparent)
  select n.workspace_id, n.position, n.capture_id, entering_at, n.traceparent
  from numbered n order by n.workspace_id, n.position
  returning o.sequence, o.workspace_id, o.position, o.capture_id, o.entered_at, o.traceparent;
end
$$;

create or replace function erase_capture(capture uuid, actor text, reason text) returns setof erasures
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
    update captures set title = null, speakers = '{}', members = '{}', digest = '', revision = revision + 1,
      updated_at = now(), erased_at = now()
    where id = capture;
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
