-- PostgreSQL's own compression takes several times as long as all the rest of putting a capture, and the document beside
-- the segments holds the same text compressed. Where the server knows lz4 the segments are compressed with that, where it
-- does not they are kept as they are. What is stored already stays as it is.
do $$
begin
  if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)) then
    alter table captures alter column segments set compression lz4;
  else
    alter table captures alter column segments set storage external;
  end if;
end
$$;
