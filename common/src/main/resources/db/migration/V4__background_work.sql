-- The chain value of a stream row: the first eight bytes of SHA-256 over the previous row's chain (start for the first
-- row) and the capture's id. In plpgsql, because an SQL function would be planned in every sweep.
create function next_chain(before bigint, start bigint, capture_id uuid) returns bigint
language plpgsql immutable parallel safe as $$
begin
  return ('x' || encode(substr(sha256(int8send(coalesce(before, start)) || uuid_send(capture_id)), 1, 8), 'hex'))
    ::bit(64)::bigint;
end
$$;

create aggregate chain(start bigint, capture_id uuid) (sfunc = next_chain, stype = bigint);

-- Raises the revision of up to chunk_max captures, in order of their ids, that show the name of the oldest pending
-- rename. Returns false if there is no rename that no other process is working on.
create function revise_renamed(chunk_max integer) returns boolean
language plpgsql volatile as $$
declare
  rename renames;
  ids uuid[];
begin
  select * into rename from renames order by requested_at limit 1 for update skip locked;
  if not found then
    return false;
  end if;
  if rename.kind = 'device' then
    ids := array(
      select id from captures
      where workspace_id = rename.workspace_id and device_id = rename.named_id and id > rename.revised_up_to
      order by id limit chunk_max);
  else
    ids := array(
      select distinct capture_id from participants
      where workspace_id = rename.workspace_id and member_id = rename.named_id and capture_id > rename.revised_up_to
      order by capture_id limit chunk_max);
  end if;
  perform from captures where id = any(ids) order by id for no key update;
  update captures set revision = revision + 1, updated_at = now() where id = any(ids);
  if cardinality(ids) < chunk_max then
    delete from renames
    where workspace_id = rename.workspace_id and kind = rename.kind and named_id = rename.named_id;
  else
    update renames set revised_up_to = ids[chunk_max]
    where workspace_id = rename.workspace_id and kind = rename.kind and named_id = rename.named_id;
  end if;
  return true;
end
$$;

-- Assigns positions to up to batch_max finished captures, oldest first. Returns the rows of the outbox.
-- The stream's advisory lock is held until the transaction is visible, so positions become visible in order, and each
-- statement after the lock sees what earlier holders did.
--
-- entered_at is read under the lock, so it increases with the position.
--
-- Only the workspaces of the batch are read: by lookups, and by "on conflict", which always uses the key.
--
-- No lock on a capture is waited for: the foreign keys' key-share locks do not conflict with the "for no key update"
-- locks of transactions that write captures.
create function sweep(lock_key bigint, batch_max integer) returns setof outbox
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
    insert into workspaces (id, stream_head, stream_chain)
    select distinct on (n.workspace_id) n.workspace_id, n.position, n.chain
    from numbered n order by n.workspace_id, n.position desc
    on conflict (id) do update set stream_head = excluded.stream_head, stream_chain = excluded.stream_chain),
  entered as (
    insert into stream as s (workspace_id, position, capture_id, chain, entered_at)
    select n.workspace_id, n.position, n.capture_id, n.chain, entering_at from numbered n)
  insert into outbox as o (workspace_id, position, capture_id, finished_at, entered_at, traceparent)
  select n.workspace_id, n.position, n.capture_id, n.finished_at, entering_at, n.traceparent
  from numbered n order by n.workspace_id, n.position
  returning o.sequence, o.workspace_id, o.position, o.capture_id, o.finished_at, o.entered_at, o.traceparent;
end
$$;
