-- The certificate, chain and key that an endpoint's receiver requests of the sender, encrypted like its secret, and what is
-- shown of it.
alter table endpoints
  add column client_certificate bytea,
  add column client_certificate_subject text,
  add column client_certificate_expires_at timestamptz,
  add constraint client_certificate_is_whole check (
    (client_certificate is null) = (client_certificate_subject is null)
    and (client_certificate is null) = (client_certificate_expires_at is null));

create index endpoints_by_certificate_expiry on endpoints (client_certificate_expires_at)
where deleted_at is null and client_certificate_expires_at is not null;
