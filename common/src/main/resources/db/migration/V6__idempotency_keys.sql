-- The responses to creations with an Idempotency-Key, kept for a day. The key's row and what it created are committed
-- together; concurrent requests with the same key wait for the row. answer is encrypted (SecretBox), because it
-- contains the new secret; digest is the hash of the request's body.
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
