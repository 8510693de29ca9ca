-- Gives positions to captures that have finished, oldest first, and returns to how many; batch_max is about the most.
-- The stream's advisory lock is held from here to the end of the transaction, longer than until it becomes visible. So
-- positions become visible in order. Each statement sees what was committed before it began: those below the lock see
-- all that earlier holders did.
--
-- The inbox is empty at most times and deep at others. A plan made for an empty table reads and sorts all of it for
-- each batch, and planning anew each time costs more than to move the two or three captures of a moment. So the plans
-- are kept, and use indexes whatever the statistics say.
create function sweep_inbox(lock_key bigint, batch_max integer) returns integer
language plpgsql volatile set enable_seqscan = off as $$
declare
  last bigint;
  moved integer;
begin
  perform pg_advisory_xact_lock(lock_key);
  select max(sequence) into last from (select sequence from stream_inbox order by sequence limit batch_max) as oldest;
  with batch as (
    delete from stream_inbox where sequence <= last returning sequence, capture_id, workspace_id),
  heads as (
    update workspaces w set stream_head = w.stream_head + added.count
    from (select workspace_id, count(*) as count from batch group by workspace_id) as added
    where w.id = added.workspace_id
    returning w.id, w.stream_head - added.count as before),
  entered as (
    insert into stream (workspace_id, position, capture_id)
    select b.workspace_id, h.before + row_number() over (partition by b.workspace_id order by b.sequence), b.capture_id
    from batch b join heads h on h.id = b.workspace_id
    returning workspace_id, position, capture_id, entered_at)
  insert into outbox (workspace_id, position, capture_id, entered_at)
  select workspace_id, position, capture_id, entered_at from entered order by workspace_id, position;
  get diagnostics moved = row_count;
  return moved;
end
$$;
