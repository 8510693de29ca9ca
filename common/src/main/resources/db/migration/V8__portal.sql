-- Links to the settings page of a workspace. The token is only in the URL; hash is its SHA-256. A link opens one
-- session, once.
create table portal_links (
  hash bytea primary key,
  workspace_id uuid not null references workspaces,
  role text not null check (role in ('view', 'admin')),
  actor text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);

create index portal_links_by_expiry on portal_links (expires_at);

-- Browser sessions on the settings page. The token is in the session's cookie; hash is its SHA-256.
create table portal_sessions (
  hash bytea primary key,
  workspace_id uuid not null references workspaces,
  role text not null check (role in ('view', 'admin')),
  actor text,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index portal_sessions_by_expiry on portal_sessions (expires_at);
