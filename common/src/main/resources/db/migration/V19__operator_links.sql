-- Links and sessions of operators belong to no workspace: they reach all of them.
alter table portal_links
  alter column workspace_id drop not null,
  drop constraint portal_links_role_check,
  add constraint portal_links_role_check check (role in ('view', 'admin', 'operator')),
  add constraint portal_links_workspace_check check ((role = 'operator') = (workspace_id is null));

alter table portal_sessions
  alter column workspace_id drop not null,
  drop constraint portal_sessions_role_check,
  add constraint portal_sessions_role_check check (role in ('view', 'admin', 'operator')),
  add constraint portal_sessions_workspace_check check ((role = 'operator') = (workspace_id is null));

-- The workspaces that an operator's session has entered, each of which has an entry in its audit log.
create table portal_visits (
  session bytea not null references portal_sessions on delete cascade,
  workspace_id uuid not null references workspaces,
  primary key (session, workspace_id)
);
