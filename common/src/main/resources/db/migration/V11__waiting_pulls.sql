-- Requests that wait for a stream to grow, or whose key is deleted meanwhile, are told by notifications. One that is lost
-- costs time: processes poll, too.

-- As before, and notifies of the workspaces of the batch: '<workspace id> <new head>'. Notifying transactions are committed
-- one at a time, as sweeps are anyway.
create or replace function sweep(lock_key bigint, batch_max integer) returns setof outbox
language plpgsql volatile as $$
declare
  taken bigint[];
  entering_at timestamptz;
begin
  perform pg_advisory_xact_lock(lock_key);
  entering_at := clock_timestamp();
  taken := array(select sequence from stream_inbox order by sequence limit batch_max);
  return query
  with batch as (
    delete from stream_inbox i where i.sequence = any(taken)
    returning i.sequence, i.capture_id, i.workspace_id, i.finished_at, i.traceparent),
  numbered as (
    select b.capture_id, b.workspace_id, b.finished_at, b.traceparent,
      w.stream_head + row_number() over ordered as position,
      chain(w.stream_chain, b.capture_id) over ordered as chain
    from batch b
    cross join lateral (select stream_head, stream_chain from workspaces where id = b.workspace_id limit 1) w
    window ordered as (partition by b.workspace_id order by b.sequence rows unbounded preceding)),
  heads as (
    insert into workspaces as w (id, stream_head, stream_chain)
    select distinct on (n.workspace_id) n.workspace_id, n.position, n.chain
    from numbered n order by n.workspace_id, n.position desc
    on conflict (id) do update set stream_head = excluded.stream_head, stream_chain = excluded.stream_chain
    returning pg_notify('egress_stream', w.id || ' ' || w.stream_head)),
  entered as (
    insert into stream as s (workspace_id, position, capture_id, chain, entered_at)
    select n.workspace_id, n.position, n.capture_id, n.chain, entering_at from numbered n)
  insert into outbox as o (workspace_id, position, capture_id, finished_at, entered_at, traceparent)
  select n.workspace_id, n.position, n.capture_id, n.finished_at, entering_at, n.traceparent
  from numbered n order by n.workspace_id, n.position
  returning o.sequence, o.workspace_id, o.position, o.capture_id, o.finished_at, o.entered_at, o.traceparent;
end
$$;

create function notify_of_deleted_key() returns trigger language plpgsql as $$
begin
  perform pg_notify('egress_key_deleted', old.id::text);
  return null;
end
$$;

create trigger api_key_deleted after delete on api_keys
for each row execute function notify_of_deleted_key();
