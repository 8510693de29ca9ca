-- Every administrative act, written in the act's own transaction. workspace_id is null if the act belongs to no
-- workspace. There is no foreign key: an entry outlives what it is about.
create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  workspace_id uuid,
  action text not null,
  kind text not null,
  thing_id uuid,
  actor text,
  via text not null check (via in ('api', 'page', 'system')),
  remote_address text,
  request_id text,
  changes jsonb not null
);

create index audit_by_workspace on audit (workspace_id, at, id);
create index audit_by_time on audit (at, id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit rows are insert-only: % refused', tg_op using errcode = 'restrict_violation';
end
$$;

create trigger audit_is_insert_only before update or delete or truncate on audit
  for each statement execute function refuse_audit_change();
