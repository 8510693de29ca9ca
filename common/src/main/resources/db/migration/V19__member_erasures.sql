-- The number of the workspace's erased members. With number and chain it says which erasures a server has: a standby that has
-- not replayed all of them must not answer.
alter table erasure_heads add column members bigint not null default 0;
