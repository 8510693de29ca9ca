-- The OAuth 2.0 client that gets access tokens for an endpoint's webhooks: all of it, encrypted, and what may be shown.
alter table endpoints add column oauth2 bytea, add column oauth2_shown jsonb;
