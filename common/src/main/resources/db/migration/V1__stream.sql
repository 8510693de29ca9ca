-- A workspace exists as soon as a call names it. stream_head is the position of its newest stream row, stream_chain
-- the chain value of that row.
create table workspaces (
  id uuid primary key,
  stream_head bigint not null default 0 check (stream_head >= 0),
  stream_chain bigint not null default 0,
  created_at timestamptz not null default now()
) with (fillfactor = 50);

create table devices (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  name text,
  primary key (workspace_id, id)
);

create table members (
  workspace_id uuid not null references workspaces,
  id uuid not null,
  name text,
  email text,
  primary key (workspace_id, id)
);

-- revision increases with every change to what the capture's document shows, including names of members and devices.
-- digest is the hash of the last body, to recognize repeated calls. entered is set when the capture is handed to the
-- stream and never reset.
create table captures (
  id uuid primary key,
  workspace_id uuid not null,
  device_id uuid not null,
  mode text not null check (mode in ('ambient', 'manual')),
  title text,
  summary text,
  started_at timestamptz not null,
  ended_at timestamptz,
  duration_ms bigint,
  segments json not null,
  digest bytea not null,
  entered boolean not null default false,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (workspace_id, device_id) references devices
);

create index captures_by_device on captures (workspace_id, device_id, id);

-- PostgreSQL's default compression takes several times as long as the rest of the insert, and the document contains
-- the same text compressed. lz4 if the server supports it, otherwise no compression.
do $$
begin
  if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)) then
    alter table captures alter column segments set compression lz4;
  else
    alter table captures alter column segments set storage external;
  end if;
end
$$;

create table participants (
  capture_id uuid not null references captures on delete cascade,
  label text not null,
  ordinal integer not null,
  workspace_id uuid not null,
  member_id uuid,
  match_confidence double precision,
  speech_ms bigint not null,
  primary key (capture_id, label),
  foreign key (workspace_id, member_id) references members
);

create index participants_by_member on participants (workspace_id, member_id, capture_id) where member_id is not null;

-- Renames of a device or member whose captures are still being revised, in order of their ids; those up to
-- revised_up_to are done. Nearly always empty.
create table renames (
  workspace_id uuid not null,
  kind text not null check (kind in ('device', 'member')),
  named_id uuid not null,
  revised_up_to uuid not null default '00000000-0000-0000-0000-000000000000',
  requested_at timestamptz not null default now(),
  primary key (workspace_id, kind, named_id)
);

-- The rendered document up to its emitted_at, as a raw deflate fragment. length and crc32 are those of the
-- uncompressed bytes, checksum is the CRC-32C of all three, renderer the version of the renderer. The bytes are
-- already compressed, so the database does not try.
create table documents (
  capture_id uuid primary key references captures on delete cascade,
  revision bigint not null,
  renderer smallint not null,
  length bigint not null,
  crc32 integer not null,
  checksum integer not null,
  deflated bytea not null
);

alter table documents alter column deflated set storage external;

-- The progress of rendering documents of earlier renderer versions again, in order of capture ids.
create table renderings (
  renderer smallint primary key,
  done_up_to uuid not null default '00000000-0000-0000-0000-000000000000',
  complete boolean not null default false
);

-- The documents that show the current state of their captures. A document is stale if its capture was revised since,
-- or shows a changed name whose captures are still being revised.
create view current_documents as
select d.capture_id, d.revision, d.renderer, d.length, d.crc32, d.checksum, d.deflated
from documents d
join captures c on c.id = d.capture_id and c.revision = d.revision
where not exists (select from renames)
  or not exists (
    select from renames r
    where r.workspace_id = c.workspace_id and c.id > r.revised_up_to
      and (r.kind = 'device' and r.named_id = c.device_id
        or r.kind = 'member' and exists (
          select from participants p where p.capture_id = c.id and p.member_id = r.named_id)));

-- Finished captures waiting for their position. traceparent is null unless the capture is traced.
create table stream_inbox (
  sequence bigint generated always as identity primary key,
  capture_id uuid not null unique references captures,
  workspace_id uuid not null,
  finished_at timestamptz not null default clock_timestamp(),
  traceparent text
);

-- chain is a hash over the previous row's chain and the capture's id: two streams with the same chain at a position
-- contain the same captures in the same order up to there.
create table stream (
  workspace_id uuid not null references workspaces,
  position bigint not null check (position > 0),
  capture_id uuid not null unique references captures,
  chain bigint not null,
  entered_at timestamptz not null default now(),
  primary key (workspace_id, position)
);

-- The newest position that entered the stream before an instant; 0 if there is none. entered_at increases with the
-- position, so the search doubles its steps back from the head and then bisects: a few lookups, however many rows are
-- newer.
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

create function refuse_stream_change() returns trigger language plpgsql as $$
begin
  raise exception 'stream rows are insert-only: % refused', tg_op using errcode = 'restrict_violation';
end
$$;

create trigger stream_is_insert_only before update or delete or truncate on stream
  for each statement execute function refuse_stream_change();

-- Records that the stream still owes to Kafka; a row is deleted once the broker has acknowledged its record.
create table outbox (
  sequence bigint generated always as identity primary key,
  workspace_id uuid not null,
  position bigint not null,
  capture_id uuid not null,
  finished_at timestamptz not null default clock_timestamp(),
  entered_at timestamptz not null,
  traceparent text
);

alter table stream_inbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
alter table outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

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
