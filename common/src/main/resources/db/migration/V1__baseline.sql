-- For tables whose rows never change.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are insert-only: % refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end
$$;

-- -----------------------------------------------------------------------------------------------------------
-- Workspaces and names
-- -----------------------------------------------------------------------------------------------------------

-- A workspace exists as soon as a call names it. name is shown next to its id; null if the application gave
-- it none. stream_head is the position of its newest stream row, stream_chain the chain value of that row.
-- retention_ms is how long its captures are kept; null for EGRESS_RETENTION. Nothing of a workspace on legal
-- hold is erased. A workspace that has ended takes nothing new, and its captures are erased in the
-- background; emptied_at is when nothing was left and nothing could be added anymore. The fill factor leaves
-- room for updates of stream_head.
create table workspaces (
  id uuid primary key,
  name text,
  stream_head bigint not null default 0 check (stream_head >= 0),
  stream_chain bigint not null default 0,
  retention_ms bigint check (retention_ms > 0),
  legal_hold boolean not null default false,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  emptied_at timestamptz
) with (fillfactor = 50);

create index workspaces_to_empty on workspaces (ended_at) where ended_at is not null and emptied_at is null;

-- The recording devices of a workspace, with their newest names.
create table devices (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  name text,
  primary key (workspace_id, id)
);

-- The members of a workspace that captures were matched with, with their newest names and addresses.
create table members (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  name text,
  email text,
  primary key (workspace_id, id)
);

-- Renames of devices and members whose captures are still being revised, in the order of the captures' ids;
-- those up to revised_up_to are done. Nearly always empty.
create table renames (
  workspace_id uuid not null,
  kind text not null check (kind in ('device', 'member')),
  named_id uuid not null,
  revised_up_to uuid not null default '00000000-0000-0000-0000-000000000000',
  requested_at timestamptz not null default now(),
  primary key (workspace_id, kind, named_id)
);

-- -----------------------------------------------------------------------------------------------------------
-- Captures and documents
-- -----------------------------------------------------------------------------------------------------------

-- What the document of a capture does not show. speakers has a number for each segment: n for the nth
-- participant, 0 for unattributed audio. members has an element for each participant, null for one that is
-- not matched. revision increases with every change to what the document shows, including names of members
-- and devices. digest is the hash of the last body, to recognize repeated calls. entered is set when the
-- capture enters the stream and never reset. An erased capture keeps its row, without its content, and its
-- place in the stream.
--
-- Other tables do not have foreign keys to captures if a row is written for each capture: they would lock and
-- check the capture's row again. Captures are never deleted instead.
create table captures (
  id uuid primary key,
  workspace_id uuid not null,
  device_id uuid not null,
  mode text not null check (mode in ('ambient', 'manual')),
  title text,
  started_at timestamptz not null,
  ended_at timestamptz,
  duration_ms bigint,
  members uuid[] not null,
  speakers smallint[] not null,
  digest bytea not null,
  entered boolean not null default false,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  erased_at timestamptz,
  foreign key (workspace_id, device_id) references devices
);

create index captures_by_device on captures (workspace_id, device_id, id);

-- A member's entry, a list of captures, is rewritten once for many new captures, which wait in a list of 64
-- kB that searches read, too.
create index captures_by_member on captures using gin (members) with (gin_pending_list_limit = 64);

-- Captures without a position in the stream, so that retention finds them. Empty unless captures are silent.
create index captures_outside_stream on captures (workspace_id, created_at) where not entered and erased_at is null;

-- A text as searches compare it: without case, width, marks and invisible characters, with single spaces.
create function folded(words text) returns text language sql immutable strict parallel safe as $$
  select btrim(regexp_replace(
    translate(lower(replace(replace(
      regexp_replace(normalize(words, NFKD),
        '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]',
        '', 'g'),
      'ẞ', 'ss'), 'ß', 'ss')), 'ς', 'σ'),
    '\s+', ' ', 'g'))
$$;

create function refuse_capture_deletion() returns trigger language plpgsql as $$
begin
  raise exception 'captures are erased, not deleted: % refused', tg_op using errcode = 'restrict_violation';
end
$$;

create trigger captures_are_not_deleted before delete or truncate on captures
  for each statement execute function refuse_capture_deletion();

-- The rendered document up to its emitted_at, as a raw deflate fragment. length and crc32 are those of the
-- uncompressed bytes, checksum is the CRC-32C of all three, renderer the version of the renderer. The bytes
-- are compressed already, so the database does not try.
create table documents (
  capture_id uuid primary key,
  revision bigint not null,
  renderer smallint not null,
  length bigint not null,
  crc32 integer not null,
  checksum integer not null,
  deflated bytea not null
);

alter table documents alter column deflated set storage external;

-- The documents that show the current state of their captures. A document is stale if its capture was revised
-- since, or shows a changed name whose captures are still being revised.
create view current_documents as
select d.capture_id, d.revision, d.renderer, d.length, d.crc32, d.checksum, d.deflated
from documents d
join captures c on c.id = d.capture_id and c.revision = d.revision
where not exists (select from renames)
  or not exists (
    select from renames r
    where r.workspace_id = c.workspace_id and c.id > r.revised_up_to
      and (r.kind = 'device' and r.named_id = c.device_id or r.kind = 'member' and r.named_id = any(c.members)));

-- The progress of rendering documents of earlier renderer versions again, in the order of capture ids.
create table renderings (
  renderer smallint primary key,
  done_up_to uuid not null default '00000000-0000-0000-0000-000000000000',
  complete boolean not null default false
);

-- Raises the revision of up to chunk_max captures, in the order of their ids, that show the name of the
-- oldest pending rename. Returns false if there is no rename, or if other processes are working on all of
-- them. Each call finds all captures of a member, so it revises more of them if there are many.
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
        and erased_at is null
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
  perform enter_changes(ids);
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

-- -----------------------------------------------------------------------------------------------------------
-- The stream and the outbox
-- -----------------------------------------------------------------------------------------------------------

-- The captures of each workspace in the order in which they became visible; positions count up from 1 without
-- gaps. chain is a hash over the previous row's chain and the capture's id: two streams with the same chain
-- at a position contain the same captures in the same order up to there.
create table stream (
  workspace_id uuid not null,
  position bigint not null check (position > 0),
  capture_id uuid not null unique,
  chain bigint not null,
  entered_at timestamptz not null default now(),
  primary key (workspace_id, position)
);

create trigger stream_is_insert_only before update or delete or truncate on stream
  for each statement execute function refuse_change();

-- The newest position that entered the stream before an instant; 0 if there is none. entered_at increases
-- with the position, so the search doubles its steps back from the head and then bisects: a few lookups,
-- however many rows are newer.
create function stream_position_before(workspace uuid, instant timestamptz) returns bigint
language plpgsql stable strict parallel safe as $$
declare
  low bigint;
  high bigint;
  middle bigint;
  step bigint := 1;
begin
  select stream_head into low from workspaces where id = workspace;
  high := low + 1;
  while low > 0 and not exists (
    select from stream where workspace_id = workspace and position = low and entered_at < instant) loop
    high := low;
    low := greatest(low - step, 0);
    step := step * 2;
  end loop;
  while high - low > 1 loop
    middle := low + (high - low) / 2;
    if exists (
      select from stream where workspace_id = workspace and position = middle and entered_at < instant) then
      low := middle;
    else
      high := middle;
    end if;
  end loop;
  return coalesce(low, 0);
end
$$;

-- The chain value of a stream row: the first eight bytes of SHA-256 over the previous row's chain (start for
-- the first row) and the capture's id. In plpgsql, because an SQL function would be planned in every
-- transaction that stores captures.
create function next_chain(before bigint, start bigint, capture_id uuid) returns bigint
language plpgsql immutable parallel safe as $$
begin
  return ('x' || encode(substr(sha256(int8send(coalesce(before, start)) || uuid_send(capture_id)), 1, 8), 'hex'))
    ::bit(64)::bigint;
end
$$;

create aggregate chain(start bigint, capture_id uuid) (sfunc = next_chain, stype = bigint);

-- Stream rows to be published to Kafka; a row is deleted once the broker has acknowledged its record.
-- traceparent is null unless the capture is traced.
create table outbox (
  sequence bigint generated always as identity primary key,
  workspace_id uuid not null,
  position bigint not null,
  capture_id uuid not null,
  entered_at timestamptz not null,
  traceparent text
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Appends captures to the streams of their workspaces, in the given order. Returns the rows of the outbox.
--
-- The workspaces' rows are locked until the transaction is visible, so positions of a workspace become
-- visible in order. Each statement after the lock sees what earlier holders did. entered_at is read under the
-- lock, so it increases with the position.
--
-- Only these workspaces are read: by lookups, and by "on conflict", which always uses the key.
create function enter_stream(capture_ids uuid[], workspace_ids uuid[], traceparents text[]) returns setof outbox
language plpgsql volatile as $$
declare
  entering_at timestamptz;
begin
  perform from (select distinct unnest(workspace_ids) as id order by 1) entering
    cross join lateral (select from workspaces w where w.id = entering.id limit 1 for no key update) locked;
  entering_at := clock_timestamp();
  return query
  with numbered as (
    select e.capture_id, e.workspace_id, e.traceparent,
      w.stream_head + row_number() over ordered as position,
      chain(w.stream_chain, e.capture_id) over ordered as chain
    from unnest(capture_ids, workspace_ids, traceparents) with ordinality
      as e(capture_id, workspace_id, traceparent, nth)
    cross join lateral (select stream_head, stream_chain from workspaces where id = e.workspace_id limit 1) w
    window ordered as (partition by e.workspace_id order by e.nth rows unbounded preceding)),
  heads as (
    insert into workspaces (id, stream_head, stream_chain)
    select distinct on (n.workspace_id) n.workspace_id, n.position, n.chain
    from numbered n order by n.workspace_id, n.position desc
    on conflict (id) do update set stream_head = excluded.stream_head, stream_chain = excluded.stream_chain),
  entered as (
    insert into stream (workspace_id, position, capture_id, chain, entered_at)
    select n.workspace_id, n.position, n.capture_id, n.chain, entering_at from numbered n)
  insert into outbox as o (workspace_id, position, capture_id, entered_at, traceparent)
  select n.workspace_id, n.position, n.capture_id, entering_at, n.traceparent
  from numbered n order by n.workspace_id, n.position
  returning o.sequence, o.workspace_id, o.position, o.capture_id, o.entered_at, o.traceparent;
end
$$;

-- -----------------------------------------------------------------------------------------------------------
-- API keys
-- -----------------------------------------------------------------------------------------------------------

-- A key is rejected from expires_at on. created_by is the user named by the caller.
create table api_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  hash bytea not null unique,
  last_four text not null,
  created_at timestamptz not null default now(),
  created_by text,
  expires_at timestamptz,
  last_used_at timestamptz
);

create index api_keys_by_workspace on api_keys (workspace_id, created_at, id);

-- Ends the requests that wait for a stream to grow with a key that is deleted meanwhile. A lost notification
-- costs only time: processes poll, too.
create function notify_of_deleted_key() returns trigger language plpgsql as $$
begin
  perform pg_notify('egress_key_deleted', old.id::text);
  return null;
end
$$;

create trigger api_key_deleted after delete on api_keys
  for each row execute function notify_of_deleted_key();

-- What was sent to each API key that ever existed, for good: in the stream and in the changes, the positions
-- that pages covered. A page is entered before it is sent, so what was sent is in here, and more can be: what
-- was erased before the page, and what lies between many separate parts. What a key reads by id is not entered
-- one by one.
create table readers (
  key_id uuid primary key,
  workspace_id uuid not null,
  name text not null,
  last_four text not null,
  created_at timestamptz not null,
  captures int8multirange not null default '{}',
  changes int8multirange not null default '{}',
  by_id_since timestamptz,
  last_used_at timestamptz,
  ended_at timestamptz
);

create index readers_by_workspace on readers (workspace_id, created_at, key_id);

create function keep_reader() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into readers (key_id, workspace_id, name, last_four, created_at)
    values (new.id, new.workspace_id, new.name, new.last_four, new.created_at);
  else
    update readers set ended_at = now(), last_used_at = old.last_used_at where key_id = old.id;
  end if;
  return null;
end
$$;

create trigger api_keys_are_remembered after insert or delete on api_keys
  for each row execute function keep_reader();

-- At most a hundred parts: more become the whole from the first to the last.
create function few_parts(parts int8multirange) returns int8multirange language sql immutable parallel safe as $$
  select case when (select count(*) from unnest(parts)) > 100 then int8multirange(range_merge(parts)) else parts end
$$;

-- The responses to creations with an Idempotency-Key, kept for a day. The key's row and what it created are
-- committed together; concurrent requests with the same key wait for the row. answer is encrypted
-- (SecretBox), because it contains the new secret; digest is the hash of the request's body.
create table idempotency_keys (
  workspace_id uuid not null,
  collection text not null,
  key text not null,
  digest bytea not null,
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (workspace_id, collection, key)
);

create index idempotency_keys_by_age on idempotency_keys (created_at);

-- -----------------------------------------------------------------------------------------------------------
-- Endpoints
-- -----------------------------------------------------------------------------------------------------------

-- The endpoints of workspaces. created_position is the workspace's stream_head at creation, read under the
-- lock of its row: positions up to it are history, later ones are live. Secrets are encrypted (SecretBox) and
-- bound to the row's id. The previous secret also signs until its overlap ends. headers is an encrypted JSON
-- object. client_certificate holds the certificate, chain and key that the receiver requests, encrypted like
-- a secret, next to what is shown of it. spec is what the owner says of it (EndpointSpec), as JSON.
-- failing_since is the start of the current series of failed attempts. The
-- operator was notified of the series that began at failing_announced, and of exhausted deliveries at
-- exhausted_announced_at.
create table endpoints (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  spec jsonb not null,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  created_position bigint not null check (created_position >= 0),
  full_history boolean not null,
  headers bytea,
  header_names text[] not null default '{}',
  client_certificate bytea,
  client_certificate_subject text,
  client_certificate_expires_at timestamptz,
  paused boolean not null default false,
  paused_at timestamptz,
  paused_reason text check (paused_reason in ('requested', 'failing')),
  failing_since timestamptz,
  failing_announced timestamptz,
  exhausted_announced_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((headers is null) = (header_names = '{}')),
  constraint client_certificate_is_whole check (
    (client_certificate is null) = (client_certificate_subject is null)
    and (client_certificate is null) = (client_certificate_expires_at is null))
);

create index endpoints_by_workspace on endpoints (workspace_id) where deleted_at is null;

create index endpoints_by_certificate_expiry on endpoints (client_certificate_expires_at)
  where deleted_at is null and client_certificate_expires_at is not null;

create index endpoints_failing on endpoints (workspace_id)
  where failing_since is not null and not paused and deleted_at is null;

-- Parts of the stream to be published to an endpoint in addition to live captures: its full history, which
-- has the endpoint's id; replays; and notifications of updates and erasures. Positions from next_position to
-- last_position are left to publish, of updates the numbers of changes; with only_undelivered, those whose
-- newest delivery was exhausted or skipped. published counts deliveries.
create table backfills (
  id uuid primary key,
  endpoint_id uuid not null references endpoints,
  origin text not null check (origin in ('backfill', 'replay', 'redelivery', 'update', 'erasure')),
  only_undelivered boolean not null default false,
  first_position bigint not null check (first_position > 0),
  next_position bigint not null check (next_position > 0),
  last_position bigint not null,
  published bigint not null default 0,
  created_by text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  cancelled_at timestamptz,
  check (finished_at is not null or cancelled_at is null)
);

create index backfills_unfinished on backfills (id) where finished_at is null;
create index backfills_by_endpoint on backfills (endpoint_id, created_at, id);
create index backfills_of_changes on backfills (endpoint_id, origin, last_position)
  where origin in ('update', 'erasure') and finished_at is null;

-- -----------------------------------------------------------------------------------------------------------
-- Deliveries and their log
-- -----------------------------------------------------------------------------------------------------------

-- The state of each delivery. A row is written with the first outcome, or when a replay publishes the
-- delivery. day is the day (UTC) since which the delivery is owed, so that a repetition finds the same row.
-- Both tables are dropped day by day. replay_id is null for the first delivery of a capture to an endpoint.
-- attempts counts the attempts whose outcome and consequences are durable: none of these is repeated.
create table deliveries (
  day date not null,
  id uuid not null,
  endpoint_id uuid not null,
  capture_id uuid not null,
  position bigint not null,
  replay_id uuid,
  origin text not null check (origin in ('live', 'backfill', 'replay', 'redelivery', 'update', 'erasure')),
  state text not null check (state in ('pending', 'delivered', 'exhausted', 'skipped', 'superseded')),
  attempts smallint not null,
  last_outcome text,
  next_attempt_at timestamptz,
  owed_at timestamptz not null,
  updated_at timestamptz not null default now(),
  primary key (id, day)
) partition by range (day);

-- Contains nothing for a delivery whose first attempt succeeds.
create index deliveries_undelivered on deliveries (endpoint_id, state, position, id) where state <> 'delivered';

-- Pending deliveries by when they are due.
create index deliveries_pending on deliveries (coalesce(next_attempt_at, updated_at), id) where state = 'pending';

-- The deliveries of replays. Of the rows of one position, the newest is the last by owed_at and id.
create index deliveries_replayed on deliveries (endpoint_id, position, owed_at, id) where replay_id is not null;
create index deliveries_of_replay on deliveries (replay_id, state) where replay_id is not null and state <> 'delivered';

-- The attempts of deliveries. outcome is 'delivered' or the kind of failure; answer is the beginning of the
-- response body.
--
-- The other columns settle disputes; they are null if nothing was sent. revision is the capture's, null if it
-- is not known; signature is the value of x-service-signature, whose t is when the attempt started, as is the
-- body's emitted_at; length is the body's. Headers are lines of "name: value", or only of a name if the value
-- is withheld; request_headers has those that differ between attempts.
create table attempts (
  day date not null,
  delivery_id uuid not null,
  attempt smallint not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  outcome text not null,
  status smallint,
  detail text,
  answer bytea,
  revision bigint,
  signature text,
  length integer,
  request_headers text,
  response_headers text,
  primary key (delivery_id, attempt, day)
) partition by range (day);

-- What the delivery log had of the days that it no longer has: the positions of the captures that each endpoint
-- has accepted, their updates, and notifications of their erasure. Kept for good.
create table receipts (
  endpoint_id uuid not null,
  day date not null,
  delivered int8multirange not null,
  updated int8multirange not null,
  erased int8multirange not null,
  primary key (endpoint_id, day)
);

-- How an endpoint does, by the hour; counted in the statement that writes the delivery log, from what it
-- changed. Hours are deleted with the log.
--
-- pending to skipped count the deliveries of live captures that are owed since this hour, by their state;
-- without a row in the log, a delivery is in none of them. The other columns describe the attempts that began
-- in this hour, of any delivery: failures has the number of each outcome but 'delivered', newest the newest 20
-- in the order in which they were recorded, '1' for a success and '0' for a failure; latencies the number of
-- attempts by how long they took, in the buckets of the class Latencies; last_failure the outcome, status and
-- detail of the newest failure.
--
-- The fill factor leaves room for updates, which change no index. What changes with a failure is at the end,
-- so that a success writes less WAL.
create table endpoint_hours (
  endpoint_id uuid not null,
  hour timestamptz not null,
  pending integer not null,
  delivered integer not null,
  exhausted integer not null,
  skipped integer not null,
  succeeded integer not null,
  newest text not null,
  last_success_at timestamptz,
  latencies integer[] not null default array_fill(0, array[24]),
  failed integer not null,
  failures jsonb not null,
  last_failure_at timestamptz,
  last_failure jsonb,
  primary key (endpoint_id, hour)
) with (fillfactor = 50);

create index endpoint_hours_by_age on endpoint_hours (hour);

-- Adds up the numbers of two objects, by name.
create function add_counts(one jsonb, other jsonb) returns jsonb
language plpgsql immutable parallel safe as $$
begin
  return (
    select jsonb_object_agg(name, count) from (
      select name, sum(value::bigint) as count from (
        select * from jsonb_each_text(one) union all select * from jsonb_each_text(other)) as each(name, value)
      group by name) as added);
end
$$;

-- How often each word occurs.
create function count_words(words text[]) returns jsonb
language plpgsql immutable parallel safe as $$
begin
  return (
    select jsonb_object_agg(word, count) from (
      select word, count(*) as count from unnest(words) as word group by word) as counted);
end
$$;

-- How far an endpoint's deliveries are known to be in the delivery log: every position of the stream after
-- its created_position and up to here has a row, or is older than the log. Missing deliveries were published
-- again up to published_position. rebuild is the queue rebuild in which the endpoint is being compared;
-- positions up to rebuild_position have been.
create table reconciliations (
  endpoint_id uuid primary key references endpoints,
  position bigint not null,
  checked_at timestamptz not null default '-infinity',
  published_position bigint not null default 0,
  published_at timestamptz not null default '-infinity',
  rebuild bigint not null default 0,
  rebuild_position bigint not null default 0,
  rebuild_visited_at timestamptz not null default '-infinity',
  rebuild_done boolean not null default true
);

create index reconciliations_by_age on reconciliations (checked_at);

-- How far the search for overdue deliveries has come since it last began with the first one. One row.
create table overdue_search (
  only_row boolean primary key default true check (only_row),
  begun_at timestamptz not null default '-infinity',
  due_up_to timestamptz not null default 'epoch',
  id_up_to uuid not null default '00000000-0000-0000-0000-000000000000'
);

insert into overdue_search default values;

-- -----------------------------------------------------------------------------------------------------------
-- Changes
-- -----------------------------------------------------------------------------------------------------------

-- The captures of each stream that show something else than when they entered it or were erased, in the order
-- of their newest changes. number counts up per workspace in the order in which changes become visible. A
-- capture that changes again moves to the end: each has one row.
create table changes (
  workspace_id uuid not null,
  number bigint not null check (number > 0),
  capture_id uuid not null unique,
  changed_at timestamptz not null,
  erased boolean not null,
  primary key (workspace_id, number)
);

-- The history of each workspace's changes, with a row for each transaction that added some: its last number,
-- and a random mark. Two histories with the same mark are the same up to there. A row of changes cannot tell
-- that, because it moves.
create table change_marks (
  workspace_id uuid not null,
  last_number bigint not null check (last_number > 0),
  mark bigint not null,
  primary key (workspace_id, last_number)
);

create trigger marks_are_insert_only before update or delete or truncate on change_marks
  for each statement execute function refuse_change();

-- The newest number of each workspace that has changes. The lock of its row puts a workspace's changes in
-- order; it is not part of workspaces, whose rows are locked by captures that enter the stream. erased is the
-- number of erased captures that were in the stream, erased_chain a hash of them, erased_members the number of
-- erased members. A standby that has not replayed all of these must not answer.
create table change_heads (
  workspace_id uuid primary key references workspaces,
  number bigint not null default 0,
  erased bigint not null default 0,
  erased_chain bigint,
  erased_members bigint not null default 0
) with (fillfactor = 50);

-- The mark of the transaction that a change belongs to, whether or not the change is still there.
create function change_mark(workspace uuid, change bigint) returns bigint language sql stable parallel safe as $$
  select mark from change_marks where workspace_id = workspace and last_number >= change order by last_number limit 1
$$;

-- Notifies the endpoints that ask for updates of the changes from first to last. An endpoint has one backfill
-- of what was not published yet, so several changes of a capture are published once.
create function announce_updates(workspace uuid, first bigint, last bigint) returns void
language sql volatile as $$
  with notified as (
    select e.id from endpoints e
    where e.workspace_id = workspace and e.spec->'events' ? 'capture.updated' and e.deleted_at is null),
  extended as (
    update backfills b set last_position = last from notified
    where b.endpoint_id = notified.id and b.origin = 'update' and b.finished_at is null
    returning b.endpoint_id)
  insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position)
  select gen_random_uuid(), id, 'update', first, first, last from notified
  where id not in (select endpoint_id from extended)
$$;

-- Adds what has happened to captures to the changes of their workspaces, except for those that are not in the
-- stream. To be called by each transaction that raises the revision of such captures, as late as possible: it
-- locks the heads until the transaction is visible, so changes of a workspace become visible in order.
-- Captures are locked before heads.
create function enter_changes(capture_ids uuid[]) returns void
language plpgsql volatile as $$
declare
  workspace uuid;
  changed uuid[];
  erased boolean[];
  head bigint;
  at timestamptz;
begin
  for workspace, changed, erased in
    select c.workspace_id, array_agg(c.id order by c.id), array_agg(c.erased_at is not null order by c.id) from captures c
    where c.id = any(capture_ids) and c.entered group by 1 order by 1
  loop
    insert into change_heads as h (workspace_id, number) values (workspace, cardinality(changed))
    on conflict (workspace_id) do update set number = h.number + excluded.number
    returning number into head;
    at := clock_timestamp();
    delete from changes where capture_id = any(changed);
    insert into changes (workspace_id, number, capture_id, changed_at, erased)
    select workspace, head - cardinality(changed) + c.nth, c.id, at, c.is_erased
    from unnest(changed, erased) with ordinality as c(id, is_erased, nth);
    insert into change_marks (workspace_id, last_number, mark)
    values (workspace, head, ('x' || encode(substr(uuid_send(gen_random_uuid()), 9, 8), 'hex'))::bit(64)::bigint);
    if false = any(erased) then
      perform announce_updates(workspace, head - cardinality(changed) + 1, head);
    end if;
  end loop;
end
$$;

-- -----------------------------------------------------------------------------------------------------------
-- Erasures and retention
-- -----------------------------------------------------------------------------------------------------------

-- Erased captures.
create table erasures (
  capture_id uuid primary key references captures,
  workspace_id uuid not null,
  erased_at timestamptz not null default now(),
  erased_by text,
  reason text not null
);

create trigger erasures_are_insert_only before update or delete or truncate on erasures
  for each statement execute function refuse_change();

-- The erased positions of each stream as disjoint spans that do not touch, so that a page skips any number of
-- them in one step: between two spans is at least one capture.
create table erased_spans (
  workspace_id uuid not null,
  last_position bigint not null,
  first_position bigint not null check (first_position > 0 and first_position <= last_position),
  primary key (workspace_id, last_position)
);

-- Adds a position to the erased spans, joining those that it touches.
create function add_erased_position(workspace uuid, erased bigint) returns void
language sql volatile as $$
  with near as (
    select last_position from erased_spans
    where workspace_id = workspace and last_position >= erased - 1 order by last_position limit 2),
  touching as (
    delete from erased_spans s using near
    where s.workspace_id = workspace and s.last_position = near.last_position and s.first_position <= erased + 1
    returning s.first_position, s.last_position)
  insert into erased_spans (workspace_id, first_position, last_position)
  select workspace, least(erased, min(first_position)), greatest(erased, max(last_position)) from touching
$$;

-- The next rows of a stream that were not erased, at most count_max. Each span is skipped in one step, and
-- leads to at least one row.
create function readable_rows(workspace uuid, after bigint, count_max integer) returns setof stream
language plpgsql stable rows 50 as $$
declare
  reached bigint := after;
  missing integer := count_max;
  returned integer;
  erased erased_spans;
begin
  while missing > 0 loop
    select * into erased from erased_spans s
    where s.workspace_id = workspace and s.last_position > reached order by s.last_position limit 1;
    return query
    select s.* from stream s
    where s.workspace_id = workspace and s.position > reached
      and s.position < coalesce(erased.first_position, 9223372036854775807)
    order by s.position limit missing;
    get diagnostics returned = row_count;
    missing := missing - returned;
    exit when erased.last_position is null;
    reached := erased.last_position;
  end loop;
end
$$;

-- Notifies the subscribed endpoints to which the capture was owed. A notification is part of a backfill, so
-- it is published, retried, listed and found again like other deliveries. Erasures of consecutive positions,
-- such as those of a retention, share a backfill until it is published.
create function announce_erasure(workspace uuid, place bigint) returns void language sql volatile as $$
  with notified as (
    select e.id from endpoints e
    where e.workspace_id = workspace and e.spec->'events' ? 'capture.erased' and e.deleted_at is null
      and (e.full_history or e.created_position < place or exists (
        select from deliveries d where d.endpoint_id = e.id and d.position = place and d.replay_id is not null))),
  extended as (
    update backfills b set last_position = place from notified
    where b.endpoint_id = notified.id and b.origin = 'erasure' and b.finished_at is null and b.last_position = place - 1
    returning b.endpoint_id)
  insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position)
  select gen_random_uuid(), id, 'erasure', place, place, place from notified
  where id not in (select endpoint_id from extended)
$$;

-- Erases the content of a capture, and returns its erasure; nothing if the capture does not exist. An erased
-- capture stays as it is.
--
-- Its document becomes one of the highest revision, so that none that is still being rendered can be stored
-- after this.
create function erase_capture(capture uuid, actor text, reason text) returns setof erasures
language plpgsql volatile as $$
declare
  erased captures;
  place bigint;
begin
  select * into erased from captures where id = capture for no key update;
  if not found then
    return;
  end if;
  if erased.erased_at is null then
    select position into place from stream where capture_id = capture;
    update captures set title = null, speakers = '{}', members = '{}', digest = '', revision = revision + 1,
      updated_at = now(), erased_at = now()
    where id = capture;
    insert into documents (capture_id, revision, renderer, length, crc32, checksum, deflated)
    values (capture, 9223372036854775807, 32767, 0, 0, 0, '')
    on conflict (capture_id) do update
    set revision = excluded.revision, renderer = excluded.renderer, length = 0, crc32 = 0, checksum = 0, deflated = '';
    insert into erasures (capture_id, workspace_id, erased_by, reason)
    values (capture, erased.workspace_id, actor, erase_capture.reason);
    if place is not null then
      perform enter_changes(array[capture]);
      update change_heads h set erased = h.erased + 1, erased_chain = next_chain(h.erased_chain, 1, capture)
      where h.workspace_id = erased.workspace_id;
      perform add_erased_position(erased.workspace_id, place);
      perform announce_erasure(erased.workspace_id, place);
    end if;
  end if;
  return query select * from erasures where capture_id = capture;
end
$$;

-- Up to chunk_max captures of a workspace that are older than an instant, oldest first: those after the first
-- span of erased positions, and those that were never in the stream.
create function expired_captures(workspace uuid, instant timestamptz, chunk_max integer) returns setof uuid
language plpgsql stable as $$
declare
  up_to bigint := stream_position_before(workspace, instant);
  erased erased_spans;
begin
  select * into erased from erased_spans where workspace_id = workspace order by last_position limit 1;
  return query
  select s.capture_id from stream s
  where s.workspace_id = workspace and s.position <= up_to
    and s.position > case when erased.first_position = 1 then erased.last_position else 0 end
    and not exists (select from erasures e where e.capture_id = s.capture_id)
  order by s.position limit chunk_max;
  return query
  select id from captures
  where workspace_id = workspace and not entered and erased_at is null and created_at < instant
  order by created_at limit chunk_max;
end
$$;

-- -----------------------------------------------------------------------------------------------------------
-- The queue in Kafka
-- -----------------------------------------------------------------------------------------------------------

-- The queue in Kafka as a dispatcher last saw it: the cluster, the ids of the topics by name, the committed
-- offsets outside of what their topics contain, and why its topics can lose records. No row until a
-- dispatcher has seen it.
create table queue (
  only_row boolean primary key default true check (only_row),
  cluster_id text not null,
  topic_ids jsonb not null,
  stray_offsets text[] not null,
  weaknesses text[] not null default '{}'
);

-- Each time that everything owed at requested_at was to be published again, from the delivery log and the
-- stream. First the endpoints are compared with the stream; then, from compared_at on, pending deliveries are
-- published as they become due, in the order of (due, id). Those up to (due_up_to, id_up_to) have been
-- published.
create table queue_rebuilds (
  id bigint generated always as identity primary key,
  reason text not null check (reason in ('requested', 'lost')),
  findings text[] not null default '{}',
  requested_at timestamptz not null default now(),
  started_at timestamptz,
  compared_at timestamptz,
  due_up_to timestamptz not null default 'epoch',
  id_up_to uuid not null default '00000000-0000-0000-0000-000000000000',
  next_due_at timestamptz,
  published_first bigint not null default 0,
  published_pending bigint not null default 0,
  finished_at timestamptz
);

create index queue_rebuilds_unfinished on queue_rebuilds (id) where finished_at is null;

-- -----------------------------------------------------------------------------------------------------------
-- The audit log and the operator's webhook
-- -----------------------------------------------------------------------------------------------------------

-- Every administrative act, written in the act's own transaction. workspace_id is null if the act belongs to
-- no workspace. There is no foreign key: an entry outlives what it is about.
create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  workspace_id uuid,
  action text not null,
  kind text not null,
  thing_id uuid,
  actor text,
  via text not null check (via in ('api', 'page', 'system')),
  remote_address text,
  request_id text,
  changes jsonb not null
);

create index audit_by_workspace on audit (workspace_id, at, id);
create index audit_by_time on audit (at, id);

create trigger audit_is_insert_only before update or delete or truncate on audit
  for each statement execute function refuse_change();

-- Notices that the operator's webhook has not accepted yet. A row is written in the transaction that records
-- its event, and deleted when it was accepted or given up, or when its workspace ends. While a row is being
-- sent, next_attempt_at is the time from which another process may send it.
create table operator_notices (
  id uuid primary key default gen_random_uuid(),
  event text not null,
  workspace_id uuid,
  emitted_at timestamptz not null default now(),
  data json not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now()
);

create index operator_notices_due on operator_notices (next_attempt_at);

-- -----------------------------------------------------------------------------------------------------------
-- The settings page
-- -----------------------------------------------------------------------------------------------------------

-- Links to the settings page. The token is only in the URL; hash is its SHA-256. A link opens one session,
-- once. Links and sessions of operators belong to no workspace: they reach all of them.
create table portal_links (
  hash bytea primary key,
  workspace_id uuid references workspaces,
  role text not null check (role in ('view', 'admin', 'operator')),
  actor text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint portal_links_workspace_check check ((role = 'operator') = (workspace_id is null))
);

create index portal_links_by_expiry on portal_links (expires_at);

-- Browser sessions on the settings page. The token is in the session's cookie; hash is its SHA-256.
create table portal_sessions (
  hash bytea primary key,
  workspace_id uuid references workspaces,
  role text not null check (role in ('view', 'admin', 'operator')),
  actor text,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint portal_sessions_workspace_check check ((role = 'operator') = (workspace_id is null))
);

create index portal_sessions_by_expiry on portal_sessions (expires_at);

-- The workspaces that an operator's session has entered, each of which has an entry in its audit log.
create table portal_visits (
  session bytea not null references portal_sessions on delete cascade,
  workspace_id uuid not null references workspaces,
  primary key (session, workspace_id)
);
