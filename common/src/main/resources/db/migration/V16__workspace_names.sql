-- name: what people see of a workspace besides its id; null if the application has not given it one.
alter table workspaces add column name text;
