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

  select count(*) into held from (
    select from devices d
    join unnest(device_workspace_ids, device_ids, device_names) as shown(workspace_id, id, name) using (workspace_id, id)
    where d.name is not distinct from shown.name
    order by d.workspace_id, d.id for share of d) as same;
  if held < cardinality(device_ids) then
    return false;
  end if;
  select count(*) into held from (
    select from members m
    join unnest(member_workspace_ids, member_ids, member_names, member_emails) as shown(workspace_id, id, name, email)
      using (workspace_id, id)
    where m.name is not distinct from shown.name and m.email is not distinct from shown.email
    order by m.workspace_id, m.id for share of m) as same;
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
