-- How far an endpoint's deliveries are known to be in the delivery log: every position of the stream after its
-- created_position and up to here has a row, or is older than the log. Missing deliveries were published again up to
-- published_position.
create table reconciliations (
  endpoint_id uuid primary key references endpoints,
  position bigint not null,
  checked_at timestamptz not null default '-infinity',
  published_position bigint not null default 0,
  published_at timestamptz not null default '-infinity'
);

create index reconciliations_by_age on reconciliations (checked_at);
