-- Endpoints may ask to be told of erasures. What is to be told is a backfill of its own, so that it is published, retried,
-- listed and found again like other deliveries.
alter table endpoints add column erasures boolean not null default false;

alter table backfills drop constraint backfills_origin_check;
alter table backfills add constraint backfills_origin_check
  check (origin in ('backfill', 'replay', 'redelivery', 'erasure'));
alter table deliveries drop constraint deliveries_origin_check;
alter table deliveries add constraint deliveries_origin_check
  check (origin in ('live', 'backfill', 'replay', 'redelivery', 'erasure'));

create index backfills_of_erasures on backfills (endpoint_id, last_position)
  where origin = 'erasure' and finished_at is null;

-- Tells the endpoints to which the capture was owed. Erasures that follow each other, as those of a retention do, share
-- a backfill until it is published.
create function announce_erasure(workspace uuid, place bigint) returns void language sql volatile as $$
  with told as (
    select e.id from endpoints e
    where e.workspace_id = workspace and e.erasures and e.deleted_at is null
      and (e.full_history or e.created_position < place or exists (
        select from deliveries d where d.endpoint_id = e.id and d.position = place and d.replay_id is not null))),
  extended as (
    update backfills b set last_position = place from told
    where b.endpoint_id = told.id and b.origin = 'erasure' and b.finished_at is null and b.last_position = place - 1
    returning b.endpoint_id)
  insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position)
  select gen_random_uuid(), id, 'erasure', place, place, place from told
  where id not in (select endpoint_id from extended)
$$;

-- As before, and tells endpoints. Erases what a capture says, and returns its erasure; nothing if it does not exist, or has no position yet although it
-- is on its way into the stream. An erased capture stays as it is.
--
-- Its document becomes one of the highest revision, so that none that is still being rendered can be stored after this.
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
