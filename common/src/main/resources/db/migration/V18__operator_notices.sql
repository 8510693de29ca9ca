-- Notices that the operator's webhook has not accepted yet. A row is written in the transaction that records its event, and
-- deleted when it was accepted or given up, or when its workspace ends. While a row is being sent, next_attempt_at is the
-- time from which another process may send it.
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

-- failing_since is maintained for every endpoint. The operator was notified of the series of failures that began at
-- failing_announced, and of exhausted deliveries at exhausted_announced_at.
alter table endpoints add column failing_announced timestamptz, add column exhausted_announced_at timestamptz;

create index endpoints_failing on endpoints (workspace_id)
  where failing_since is not null and not paused and deleted_at is null;
