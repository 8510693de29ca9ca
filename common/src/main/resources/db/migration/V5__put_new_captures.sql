-- Fast path for new captures that change no names, in one round trip. Returns false and writes nothing when a capture
-- exists already or a name differs from the one its document shows. Violates a unique constraint when another process
-- puts one of the captures at the same time.
--
-- Names are locked until the documents that show them are stored. Lock order, as in all transactions that write captures:
-- devices before members, each by workspace and id, then captures by id.
create function put_new_captures(
  device_workspace_ids uuid[], device_ids uuid[], device_names text[],
  member_workspace_ids uuid[], member_ids uuid[], member_names text[], member_emails text[],
  capture_ids uuid[], workspace_ids uuid[], recorded_by uuid[], modes text[], titles text[], summaries text[],
  started timestamptz[], ended timestamptz[], durations_ms bigint[], segments text[], digests bytea[], spoken boolean[],
  participants_of uuid[], labels text[], ordinals integer[], participant_workspace_ids uuid[], participant_member_ids uuid[],
  match_confidences double precision[], speech_ms bigint[],
  document_renderer smallint, document_lengths bigint[], document_crc32s integer[], document_checksums integer[],
  documents bytea[])
returns boolean
language plpgsql volatile as $$
declare
  held integer;
begin
  perform from captures c where c.id = any(capture_ids);
  if found then
    return false;
  end if;

  select count(*) into held
  from (
    select * from unnest(device_workspace_ids, device_ids, device_names) as s(workspace_id, id, name)
    order by workspace_id, id) as shown
  cross join lateral (
    select from devices d
    where d.workspace_id = shown.workspace_id and d.id = shown.id and d.name is not distinct from shown.name
    limit 1 for share) as same;
  if held < cardinality(device_ids) then
    return false;
  end if;
  select count(*) into held
  from (
    select * from unnest(member_workspace_ids, member_ids, member_names, member_emails) as s(workspace_id, id, name, email)
    order by workspace_id, id) as shown
  cross join lateral (
    select from members m
    where m.workspace_id = shown.workspace_id and m.id = shown.id
      and m.name is not distinct from shown.name and m.email is not distinct from shown.email
    limit 1 for share) as same;
  if held < cardinality(member_ids) then
    return false;
  end if;

  insert into captures (id, workspace_id, device_id, mode, title, summary, started_at, ended_at, duration_ms, segments,
    digest, entered)
  select p.id, p.workspace_id, p.device_id, p.mode, p.title, p.summary, p.started_at, p.ended_at, p.duration_ms,
    p.segments::json, p.digest, p.entered
  from unnest(capture_ids, workspace_ids, recorded_by, modes, titles, summaries, started, ended, durations_ms, segments,
    digests, spoken)
    as p(id, workspace_id, device_id, mode, title, summary, started_at, ended_at, duration_ms, segments, digest, entered)
  order by p.id;

  insert into participants (capture_id, label, ordinal, workspace_id, member_id, match_confidence, speech_ms)
  select * from unnest(participants_of, labels, ordinals, participant_workspace_ids, participant_member_ids,
    match_confidences, speech_ms);

  insert into documents (capture_id, revision, renderer, length, crc32, checksum, deflated)
  select p.id, 1, document_renderer, p.length, p.crc32, p.checksum, p.deflated
  from unnest(capture_ids, document_lengths, document_crc32s, document_checksums, documents)
    as p(id, length, crc32, checksum, deflated);

  insert into stream_inbox (capture_id, workspace_id)
  select p.id, p.workspace_id
  from unnest(capture_ids, workspace_ids, spoken) with ordinality as p(id, workspace_id, entered, nth)
  where p.entered
  order by p.nth;

  return true;
end
$$;
