-- retention_ms: how long the workspace's captures are kept; null for as long as EGRESS_RETENTION says. Nothing of a
-- workspace on legal hold is erased.
alter table workspaces
  add column retention_ms bigint check (retention_ms > 0),
  add column legal_hold boolean not null default false;

-- Captures that were never in the stream, which have no position to be found by. Empty unless captures are silent.
create index captures_outside_stream on captures (workspace_id, created_at) where not entered and erased_at is null;

-- Up to chunk_max captures of a workspace that are older than an instant, oldest first: those after the first span of
-- erased positions, and those that were never in the stream.
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
