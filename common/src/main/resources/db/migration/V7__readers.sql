-- Keys that are expected to pull.
--
-- expect_within_ms is how often; null for no expectation. stopped_at is when a dispatcher found that the key has not been
-- used for so long, although there is something new for it. It is null again once the key is used, or is not expected to be.
alter table api_keys add column expect_within_ms bigint check (expect_within_ms > 0);
alter table api_keys add column stopped_at timestamptz;

create index api_keys_expected on api_keys (id) where expect_within_ms is not null;
create index api_keys_stopped on api_keys (workspace_id, stopped_at) where stopped_at is not null;

-- Whether there is something that the key has not been sent, of the feeds that it reads; of captures, if it has read none.
create function has_unread(key api_keys) returns boolean
language plpgsql stable as $$
declare
  sent record;
begin
  select coalesce(upper(captures) - 1, 0) as captures, coalesce(upper(changes) - 1, 0) as changes into sent
  from readers where key_id = key.id;
  if coalesce(sent.changes, 0) > 0 and sent.changes < (
    case when key.filter is null
      then coalesce((select number from change_heads where workspace_id = key.workspace_id), 0)
      else limited_changes_head(key.workspace_id, key.filter) end) then
    return true;
  end if;
  return (coalesce(sent.captures, 0) > 0 or coalesce(sent.changes, 0) = 0) and coalesce(sent.captures, 0) < (
    case when key.filter is null
      then (
        select coalesce((
          select first_position - 1 from erased_spans
          where workspace_id = w.id and last_position = w.stream_head), w.stream_head)
        from workspaces w where w.id = key.workspace_id)
      else limited_head(key.workspace_id, key.filter) end);
end
$$;
