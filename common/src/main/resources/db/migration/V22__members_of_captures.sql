-- A document says everything of its participants but their members' ids. captures.members has an element for each participant, null for
-- one that is not matched.
alter table captures add column members uuid[] not null default '{}';

update captures c set members = p.members
from (select capture_id, array_agg(member_id order by ordinal) as members from participants group by capture_id) p
where p.capture_id = c.id;

alter table captures alter column members drop default;

-- Entries wait in a list of 64 kB, which searches read, too: a member's entry, a list of captures, is rewritten once for many of them.
create index captures_by_member on captures using gin (members) with (gin_pending_list_limit = 64);

-- Documents that V20 made, which consist of stored blocks, do not name their participants.
create or replace function pg_temp.crc(bytes bytea, polynomial bigint) returns integer language plpgsql immutable as $$
declare
  crc bigint := 4294967295;
begin
  for i in 0 .. length(bytes) - 1 loop
    crc := crc # get_byte(bytes, i);
    for bit in 1 .. 8 loop
      crc := (crc >> 1) # ((crc & 1) * polynomial);
    end loop;
  end loop;
  crc := crc # 4294967295;
  return (case when crc > 2147483647 then crc - 4294967296 else crc end)::integer;
end
$$;

create or replace function pg_temp.stored(bytes bytea) returns bytea language plpgsql immutable as $$
declare
  fragment bytea := '';
  size integer;
begin
  for i in 0 .. (length(bytes) - 1) / 65535 loop
    size := least(65535, length(bytes) - i * 65535);
    fragment := fragment || '\x00'
      || set_byte(set_byte('\x0000', 0, size & 255), 1, size >> 8)
      || set_byte(set_byte('\x0000', 0, ~size & 255), 1, (~size >> 8) & 255)
      || substr(bytes, i * 65535 + 1, size);
  end loop;
  return fragment;
end
$$;

create function pg_temp.unstored(fragment bytea) returns bytea language plpgsql immutable as $$
declare
  bytes bytea := '';
  place integer := 0;
  size integer;
begin
  while place < length(fragment) loop
    size := get_byte(fragment, place + 1) + (get_byte(fragment, place + 2) << 8);
    bytes := bytes || substr(fragment, place + 6, size);
    place := place + 5 + size;
  end loop;
  return bytes;
end
$$;

with said as (
  select d.capture_id, convert_to('{"participants":' || coalesce((
      select json_agg(
        json_build_object('label', label, 'match_confidence', match_confidence, 'speech_ms', speech_ms) order by ordinal)
      from participants where capture_id = d.capture_id), '[]')::text || ',', 'UTF8')
    || substr(pg_temp.unstored(d.deflated), 2) as bytes
  from documents d where d.renderer = 0 and substr(d.deflated, 1, 1) = '\x00'),
stored as (
  select capture_id, length(bytes) as length, pg_temp.crc(bytes, 3988292384) as crc32, pg_temp.stored(bytes) as deflated from said)
update documents d
set length = s.length, crc32 = s.crc32, deflated = s.deflated,
  checksum = pg_temp.crc(s.deflated || int4send(s.crc32) || int8send(s.length), 2197175160)
from stored s where s.capture_id = d.capture_id;

create or replace view current_documents as
select d.capture_id, d.revision, d.renderer, d.length, d.crc32, d.checksum, d.deflated
from documents d
join captures c on c.id = d.capture_id and c.revision = d.revision
where not exists (select from renames)
  or not exists (
    select from renames r
    where r.workspace_id = c.workspace_id and c.id > r.revised_up_to
      and (r.kind = 'device' and r.named_id = c.device_id or r.kind = 'member' and r.named_id = any(c.members)));

-- As before. Each call finds all captures of a member, so it revises more of them if there are many.
create or replace function revise_renamed(chunk_max integer) returns boolean
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
      with named as materialized (
        select id from captures
        where workspace_id = rename.workspace_id and members @> array[rename.named_id] and id > rename.revised_up_to)
      select id from named order by id limit greatest(chunk_max, (select count(*) from named) / 20));
  end if;
  perform from captures where id = any(ids) order by id for no key update;
  update captures set revision = revision + 1, updated_at = now() where id = any(ids);
  if cardinality(ids) < chunk_max then
    delete from renames
    where workspace_id = rename.workspace_id and kind = rename.kind and named_id = rename.named_id;
  else
    update renames set revised_up_to = ids[cardinality(ids)]
    where workspace_id = rename.workspace_id and kind = rename.kind and named_id = rename.named_id;
  end if;
  return true;
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
    if erased.entered and place is null then
      return;
    end if;
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

drop table participants;
