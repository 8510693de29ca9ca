-- Foreign keys on the way in, each checked and locked for each capture: the rows are inserted in the transaction that inserts or locks
-- the capture, or from its row in the inbox. Instead, no capture is ever deleted.
alter table participants drop constraint participants_capture_id_fkey;
alter table documents drop constraint documents_capture_id_fkey;
alter table stream_inbox drop constraint stream_inbox_capture_id_fkey;
alter table stream drop constraint stream_capture_id_fkey, drop constraint stream_workspace_id_fkey;

create function refuse_capture_deletion() returns trigger language plpgsql as $$
begin
  raise exception 'captures are erased, not deleted: % refused', tg_op using errcode = 'restrict_violation';
end
$$;

create trigger captures_are_not_deleted before delete or truncate on captures
  for each statement execute function refuse_capture_deletion();

-- As sweep, in the transaction that stores a capture, if no other process is sweeping: nothing waits for the lock. Returns nothing
-- otherwise.
create function sweep_if_free(lock_key bigint, batch_max integer) returns setof outbox language plpgsql volatile as $$
begin
  if pg_try_advisory_xact_lock(lock_key) then
    return query select * from sweep(lock_key, batch_max);
  end if;
end
$$;
