-- The key pairs of the service that sign webhooks by Ed25519: the newest one, and the ones before it for as long as
-- they sign, too. Private keys are encrypted with EGRESS_SECRET_KEY.
create table signing_keys (
  id uuid primary key,
  public_key bytea not null,
  private_key bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  -- null for the newest one
  signs_until timestamptz
);

create unique index signing_keys_newest on signing_keys ((signs_until is null)) where signs_until is null;
