-- The queue in Kafka as a dispatcher last saw it: the cluster, the ids of the topics by name, and the committed offsets
-- that were outside of what their topics contain; and why its topics can lose records. No row until a dispatcher has seen it.
create table queue (
  only_row boolean primary key default true check (only_row),
  cluster_id text not null,
  topic_ids jsonb not null,
  stray_offsets text[] not null,
  weaknesses text[] not null default '{}'
);

-- Each time that everything owed was to be published again, from the delivery log and the stream: all that was owed at
-- requested_at. First the endpoints are compared with the stream; then, from compared_at on, pending deliveries are
-- published as they become due, in the order of (due, id). Those up to (due_up_to, id_up_to) have been published.
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

-- The progress of an endpoint in the rebuild with this id: positions up to rebuild_position have been compared.
alter table reconciliations
  add column rebuild bigint not null default 0,
  add column rebuild_position bigint not null default 0,
  add column rebuild_visited_at timestamptz not null default '-infinity',
  add column rebuild_done boolean not null default true;

-- How far the reconciler has looked for overdue deliveries since it last began with the first one.
create table overdue_search (
  only_row boolean primary key default true check (only_row),
  begun_at timestamptz not null default '-infinity',
  due_up_to timestamptz not null default 'epoch',
  id_up_to uuid not null default '00000000-0000-0000-0000-000000000000'
);

insert into overdue_search default values;

-- Pending deliveries by when they are due. Contains nothing for a delivery whose first attempt succeeds.
create index deliveries_pending on deliveries (coalesce(next_attempt_at, updated_at), id) where state = 'pending';
