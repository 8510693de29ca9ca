-- The two roles of docs/operating.md (Two roles for PostgreSQL), for deploy/postgres/initialize: as a superuser with psql, in
-- the service's empty database, with the variables database, owner, owner_password, service and service_password.
create role :"owner" login password :'owner_password';
create role :"service" login password :'service_password';
alter database :"database" owner to :"owner";
revoke temporary on database :"database" from public;
revoke create on schema public from public;
grant create on schema public to :"owner";
grant pg_read_all_stats to :"service";
