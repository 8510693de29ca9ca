-- Whether the webhooks of an endpoint also carry the headers of Standard Webhooks.
alter table endpoints add column standard_webhooks boolean not null default false;
