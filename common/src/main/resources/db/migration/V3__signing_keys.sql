-- The key pair that signs an endpoint's webhooks by Ed25519: the 32 bytes of the public key, and after them the private
-- key, encrypted with EGRESS_SECRET_KEY. Null as long as the endpoint has needed none. The pair before it signs, too, until
-- the overlap of its rotation ends.
alter table endpoints
  add column signing_key bytea,
  add column previous_signing_key bytea,
  add column previous_signing_key_until timestamptz;
