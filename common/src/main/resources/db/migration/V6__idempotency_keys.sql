-- Answers to creations that named an Idempotency-Key, for a day. Both the key's row and what it created are committed
-- together; whoever sends the key meanwhile waits for the row. answer is encrypted (SecretBox), for it holds the secret
-- that was created; digest is of the request's body.
create table idempotency_keys (
  workspace_id uuid not null,
  collection text not null,
  key text not null,
  digest bytea not null,
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (workspace_id, collection, key)
);

create index idempotency_keys_by_age on idempotency_keys (created_at);
