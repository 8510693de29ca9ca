-- As sweep_inbox before it, but returns the rows of the outbox that came of it: whoever sweeps can publish them without
-- asking for them again.
--
-- Gives positions to captures that have finished, oldest first; batch_max is about the most. The stream's advisory lock is
-- held from here to the end of the transaction, longer than until it becomes visible. So positions become visible in
-- order. Each statement sees what was committed before it began: those below the lock see all that earlier holders did.
--
-- The inbox is empty at most times and deep at others. A plan made for an empty table reads and sorts all of it for
-- each batch, and planning anew each time costs more than to move the two or three captures of a moment. So the plans
-- are kept, and use indexes whatever the statistics say.
drop function sweep_inbox(bigint, integer);

create function sweep(lock_key bigint, batch_max integer) returns setof outbox
language plpgsql volatile set enable_seqscan = off as $$
declare
  last bigint;
begin
  perform pg_advisory_xact_lock(lock_key);
  select max(sequence) into last from (select sequence from stream_inbox order by sequence limit batch_max) as oldest;
  return query
  with batch as (
    delete from stream_inbox i where i.sequence <= last returning i.sequence, i.capture_id, i.workspace_id),
  heads as (
    update workspaces w set stream_head = w.stream_head + added.count
    from (select b.workspace_id, count(*) as count from batch b group by b.workspace_id) as added
    where w.id = added.workspace_id
    returning w.id, w.stream_head - added.count as before),
  entered as (
    insert into stream as s (workspace_id, position, capture_id)
    select b.workspace_id, h.before + row_number() over (partition by b.workspace_id order by b.sequence), b.capture_id
    from batch b join heads h on h.id = b.workspace_id
    returning s.workspace_id, s.position, s.capture_id, s.entered_at)
  insert into outbox as o (workspace_id, position, capture_id, entered_at)
  select e.workspace_id, e.position, e.capture_id, e.entered_at from entered e order by e.workspace_id, e.position
  returning o.sequence, o.workspace_id, o.position, o.capture_id, o.entered_at;
end
$$;
