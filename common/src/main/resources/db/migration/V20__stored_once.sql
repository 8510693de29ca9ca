-- What was said is stored once, in the document. captures keeps what documents do not show: speakers has a number for each segment, n
-- for the nth participant and 0 for unattributed audio.

-- CRC of the bytes, for a polynomial in reversed form. Takes milliseconds for a document.
create function pg_temp.crc(bytes bytea, polynomial bigint) returns integer language plpgsql immutable as $$
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

-- A deflate fragment of stored blocks.
create function pg_temp.stored(bytes bytea) returns bytea language plpgsql immutable as $$
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

-- The document of a capture of which a member was erased is empty until someone reads it. It gets one that is stale, too, but says what
-- was said.
with said as (
  select c.id, c.revision, convert_to(json_build_object('summary', c.summary, 'segments', (
      select coalesce(json_agg(json_build_object('start_ms', s -> 0, 'end_ms', s -> 1, 'text', s -> 3)), '[]')
      from json_array_elements(c.segments) s))::text, 'UTF8') as bytes
  from captures c left join documents d on d.capture_id = c.id
  where c.erased_at is null and coalesce(d.deflated, '') = ''),
stored as (
  select id, revision, length(bytes) as length, pg_temp.crc(bytes, 3988292384) as crc32, pg_temp.stored(bytes) as deflated from said)
insert into documents (capture_id, revision, renderer, length, crc32, checksum, deflated)
select id, revision, 0, length, crc32, pg_temp.crc(deflated || int4send(crc32) || int8send(length), 2197175160), deflated from stored
on conflict (capture_id) do update
set renderer = 0, length = excluded.length, crc32 = excluded.crc32, checksum = excluded.checksum, deflated = excluded.deflated;

alter table captures add column speakers smallint[];

update captures c
set segments = '[]', speakers = array(
  select coalesce(p.nth, 0)::smallint
  from json_array_elements(c.segments) with ordinality s(segment, nth)
    left join (select label, row_number() over (order by ordinal) as nth from participants where capture_id = c.id) p
      on p.label = s.segment ->> 2
  order by s.nth);

alter table captures drop column segments, drop column summary, alter column speakers set not null;

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
    update captures set title = null, speakers = '{}', digest = '', revision = revision + 1,
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
