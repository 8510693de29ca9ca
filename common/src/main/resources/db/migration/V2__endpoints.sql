-- The endpoints of workspaces. created_position is the workspace's stream_head at creation, read under the stream's
-- lock: positions up to it are history, later ones are live. Secrets are encrypted (SecretBox) and bound to the row's
-- id. The previous secret also signs until its overlap ends. headers is an encrypted JSON object. failing_since is the
-- start of the current series of failed attempts; it is maintained only if failing endpoints are paused.
create table endpoints (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  url text not null,
  description text,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  created_position bigint not null check (created_position >= 0),
  full_history boolean not null,
  headers bytea,
  header_names text[] not null default '{}',
  max_per_second integer check (max_per_second > 0),
  max_in_flight integer check (max_in_flight > 0),
  paused boolean not null default false,
  paused_at timestamptz,
  paused_reason text check (paused_reason in ('requested', 'failing')),
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((headers is null) = (header_names = '{}'))
);

create index endpoints_by_workspace on endpoints (workspace_id) where deleted_at is null;

-- Parts of the stream to be published to an endpoint in addition to live captures: its full history, with the
-- endpoint's id, and replays. Positions from next_position to last_position are left to publish; with
-- only_undelivered, those whose newest delivery was exhausted or skipped. published counts deliveries.
create table backfills (
  id uuid primary key,
  endpoint_id uuid not null references endpoints,
  origin text not null check (origin in ('backfill', 'replay', 'redelivery')),
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
