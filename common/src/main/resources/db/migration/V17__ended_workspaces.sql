-- A workspace that has ended takes nothing new, and what it contains is erased in the background. emptied_at: when
-- nothing was left, and nothing could come anymore.
alter table workspaces
  add column ended_at timestamptz,
  add column emptied_at timestamptz;

create index workspaces_to_empty on workspaces (ended_at) where ended_at is not null and emptied_at is null;
