-- Endpoints that are sent the stream itself, page after page, instead of a delivery of each capture. An endpoint's turn
-- is the page that is due: only one is, and one record in Kafka stands for it, which means nothing unless it fits
-- this row.
--
-- A page is of the stream or, if the endpoint subscribes to what becomes of captures, of the changes: at the end of the
-- one, the other is sent up to where its end is then. So both are in one row, and feed says which of them is due; while
-- nothing is, it is the stream. position and changes_position are the cursors before the page, or before what comes next;
-- nothing between them and read_up_to or changes_read_up_to is sent. Changes are counted from the creation of the
-- endpoint on, whenever it subscribes to them: what it is sent is never older.
--
-- The page reaches up to page_up_to at most, which was the head when it became due. page_end is its last position and
-- looked_up_to what is done with when it was accepted; both are written before it is sent for the first time, so that a
-- repetition ends with the same cursor, whatever was erased or has grown since. due_at is null while there is nothing
-- to send, or the endpoint is paused: it rests. owed_at is since when the page has been due, by the day of which it is logged.
--
-- size is how many captures a page has at most, which is lowered if the receiver refuses pages; accepted counts those it
-- has accepted since, until it grows again. failing_since and the columns after it describe the attempts of the page
-- that is due; held_capture is the capture of a page with no other, if the receiver refuses that. What was accepted is
-- entered in receipts.
create table turns (
  endpoint_id uuid primary key references endpoints,
  first_position bigint not null check (first_position >= 0),
  position bigint not null check (position >= 0),
  read_up_to bigint not null check (read_up_to >= position),
  changes_position bigint not null check (changes_position >= 0),
  changes_read_up_to bigint not null check (changes_read_up_to >= changes_position),
  feed text not null default 'captures' check (feed in ('captures', 'changes')),
  page_after bigint not null generated always as (case feed when 'captures' then position else changes_position end) stored,
  page_up_to bigint,
  page_end bigint,
  looked_up_to bigint,
  due_at timestamptz,
  owed_at timestamptz,
  batch integer not null check (batch > 0),
  max_body integer not null check (max_body > 0),
  size integer not null check (size > 0 and size <= batch),
  accepted integer not null default 0,
  attempts integer not null default 0,
  failing_since timestamptz,
  last_outcome text,
  last_status integer,
  held_capture uuid,
  check (feed = 'captures' or page_up_to is not null),
  check ((due_at is null) = (owed_at is null) and (due_at is null or page_up_to is not null)),
  check ((page_end is null) = (looked_up_to is null) and (page_end is null or page_up_to is not null))
) with (fillfactor = 50);

create index turns_due on turns (due_at) where due_at is not null;

create function wants_changes(spec jsonb) returns boolean language sql immutable parallel safe as $$
  select spec->'events' ?| array['capture.updated', 'capture.erased']
$$;

create index endpoints_with_changes on endpoints (id) where wants_changes(spec);

-- The number of the newest change before an instant. Halves what is left, as numbers have no index by time; those of
-- newer changes are missing.
create function change_number_before(workspace uuid, instant timestamptz) returns bigint
language plpgsql stable parallel safe as $$
declare
  low bigint := 0;
  high bigint := coalesce((select number from change_heads where workspace_id = workspace), 0);
  middle bigint;
  found_at record;
begin
  while low < high loop
    middle := (low + high + 1) / 2;
    select number, changed_at < instant as is_before into found_at from changes
      where workspace_id = workspace and number >= middle and number <= high order by number limit 1;
    if found_at.is_before then
      low := found_at.number;
    else
      high := middle - 1;
    end if;
  end loop;
  return low;
end
$$;

-- As before, but endpoints that are sent pages get no notices of single captures.
create or replace function announce_updates(workspace uuid, first bigint, last bigint) returns void
language sql volatile as $$
  with notified as (
    select e.id from endpoints e
    where e.workspace_id = workspace and e.spec->'events' ? 'capture.updated' and e.deleted_at is null
      and not exists (select from turns t where t.endpoint_id = e.id)),
  extended as (
    update backfills b set last_position = last from notified
    where b.endpoint_id = notified.id and b.origin = 'update' and b.finished_at is null
    returning b.endpoint_id)
  insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position)
  select gen_random_uuid(), id, 'update', first, first, last from notified
  where id not in (select endpoint_id from extended)
$$;

create or replace function announce_erasures(workspace uuid, first bigint, last bigint) returns void
language sql volatile as $$
  insert into erasure_backfills as b (endpoint_id, next_number, last_number)
  select e.id, first, last from endpoints e
  where e.workspace_id = workspace and e.spec->'events' ? 'capture.erased' and e.deleted_at is null
    and not exists (select from turns t where t.endpoint_id = e.id)
  order by e.id
  on conflict (endpoint_id) do update set
    next_number = case when b.next_number > b.last_number then excluded.next_number else b.next_number end,
    last_number = excluded.last_number
$$;

-- The pages that were sent, or tried, as long as the delivery log is kept. Of the stream, those captures after
-- after_position and up to last_position, which are at most 1,000 positions apart, that their endpoint wanted. Of the
-- changes, positions are numbers of changes, and changed has the captures. Their attempts are in attempts. An attempt
-- that was refused may have reached further, up to tried_up_to, or had more captures, which changed has, too: what its
-- receiver answered may be about any of them.
create table pages (
  day date not null,
  id uuid not null,
  endpoint_id uuid not null,
  changed uuid[],
  after_position bigint not null,
  last_position bigint not null,
  tried_up_to bigint not null,
  documents integer not null,
  state text not null check (state in ('pending', 'delivered')),
  attempts integer not null,
  last_outcome text,
  next_attempt_at timestamptz,
  owed_at timestamptz not null,
  updated_at timestamptz not null default now(),
  primary key (id, day)
) partition by range (day);

create index pages_by_time on pages (endpoint_id, owed_at, id);
create index pages_by_place on pages (endpoint_id, tried_up_to) where changed is null;
create index pages_by_change on pages using gin (changed) with (fastupdate = off) where changed is not null;
