-- The state of each delivery. A row is written with the first outcome, or when a replay publishes the delivery. day is
-- the day (UTC) since which the delivery is owed, so that a repetition finds the same row. Both tables are dropped day
-- by day. replay_id is null for the first delivery of a capture to an endpoint. attempts counts the attempts whose
-- outcome and consequences are durable: none of these is repeated.
create table deliveries (
  day date not null,
  id uuid not null,
  endpoint_id uuid not null,
  capture_id uuid not null,
  position bigint not null,
  replay_id uuid,
  origin text not null check (origin in ('live', 'backfill', 'replay', 'redelivery')),
  state text not null check (state in ('pending', 'delivered', 'exhausted', 'skipped')),
  attempts smallint not null,
  last_outcome text,
  next_attempt_at timestamptz,
  owed_at timestamptz not null,
  updated_at timestamptz not null default now(),
  primary key (id, day)
) partition by range (day);

-- Contains nothing for a delivery whose first attempt succeeds.
create index deliveries_undelivered on deliveries (endpoint_id, state, position, id) where state <> 'delivered';

-- The deliveries of replays. A replay's row of a position is newer, by owed_at and id, than earlier ones of that
-- position.
create index deliveries_replayed on deliveries (endpoint_id, position, owed_at, id) where replay_id is not null;
create index deliveries_of_replay on deliveries (replay_id, state) where replay_id is not null and state <> 'delivered';

-- outcome is 'delivered' or the kind of failure; answer is the beginning of the response body.
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
  primary key (delivery_id, attempt, day)
) partition by range (day);
