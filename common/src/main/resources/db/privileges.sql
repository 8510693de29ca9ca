-- What the role that serves may do, if another role owns the tables: the statements that are missing for it, in this
-- schema; none if it has these privileges and no others. It reads and writes rows, except where rows have rules of
-- their own, which triggers hold, too. DatabaseRolesTest compares the two.
with grantee as (select oid, rolname as name from pg_roles where rolname = ?),
space as (select oid, nspname as name from pg_namespace where oid = current_schema()::regnamespace),
rules (name, privileges, columns) as (values
  -- Rows never change.
  ('audit', array['INSERT', 'SELECT'], '{}'::text[]),
  ('change_marks', array['INSERT', 'SELECT'], '{}'),
  ('erasures', array['INSERT', 'SELECT'], '{}'),
  -- What a capture was may be added.
  ('stream', array['INSERT', 'SELECT'], array['device_id', 'mode']),
  -- Captures are erased, not deleted.
  ('captures', array['INSERT', 'SELECT', 'UPDATE'], '{}'),
  ('flyway_schema_history', array['SELECT'], '{}')),
wanted as (
  select c.oid, c.relname as name, c.relacl,
    coalesce(r.privileges, case
      when c.relkind = 'v' then array['SELECT']
      else array['DELETE', 'INSERT', 'SELECT', 'UPDATE'] end) as privileges,
    coalesce(r.columns, '{}') as columns
  from pg_class c join space s on s.oid = c.relnamespace left join rules r on r.name = c.relname
  where c.relkind in ('r', 'p', 'v') and pg_has_role(c.relowner, 'usage')),
compared as (
  select w.*, g.name as grantee,
    array(select privilege_type from aclexplode(w.relacl) where grantee = g.oid order by 1) as held,
    array(
      select t.attname::text from pg_attribute t cross join aclexplode(t.attacl) a
      where t.attrelid = w.oid and a.grantee = g.oid and a.privilege_type = 'UPDATE' order by 1) as held_columns
  from wanted w cross join grantee g)
select format('grant usage on schema %I to %I', s.name, g.name) from space s cross join grantee g
where not has_schema_privilege(g.oid, s.oid, 'usage')
union all
-- The days of the delivery log, and tables of later migrations, have them from the start.
select format('alter default privileges in schema %I grant select, insert, update, delete on tables to %I', s.name, g.name)
from space s cross join grantee g
where not exists (
  select from pg_default_acl d cross join aclexplode(d.defaclacl) a
  where d.defaclrole = (select oid from pg_roles where rolname = current_user) and d.defaclnamespace = s.oid
    and d.defaclobjtype = 'r' and a.grantee = g.oid)
union all
select format('grant execute on function %s to %I', p.oid::regprocedure, g.name)
from pg_proc p join space s on s.oid = p.pronamespace cross join grantee g
where pg_has_role(p.proowner, 'usage') and not has_function_privilege(g.oid, p.oid, 'execute')
union all
select format('revoke all on %1$I from %2$I; grant %3$s on %1$I to %2$I', name, grantee, array_to_string(privileges, ', '))
  || case when columns = '{}' then '' else
    format('; grant update (%s) on %I to %I', array_to_string(columns, ', '), name, grantee) end
from compared where held <> privileges or held_columns <> columns
