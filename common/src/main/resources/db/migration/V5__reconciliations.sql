-- How far the delivery log is known to have a row for whatever an endpoint was owed: every position of the stream above
-- its created_position and up to here has one, or is older than the log remembers. What is missing above and was published
-- again is up to published_position.
create table reconciliations (
  endpoint_id uuid primary key references endpoints,
  position bigint not null,
  checked_at timestamptz not null default '-infinity',
  published_position bigint not null default 0,
  published_at timestamptz not null default '-infinity'
);

create index reconciliations_by_age on reconciliations (checked_at);
