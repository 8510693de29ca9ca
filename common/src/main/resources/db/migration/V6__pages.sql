-- Endpoints that are sent the stream itself, page after page, instead of a delivery of each capture. An endpoint's turn
-- is the page that is due: only one is, and one record in Kafka stands for it, which means nothing unless it fits
-- this row.
--
-- position is the cursor before that page, or before what comes next; nothing between it and read_up_to is sent. The page
-- reaches up to page_up_to at most, which was the head when it became due. page_end is its last position and
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
  check ((due_at is null) = (owed_at is null) and (due_at is null or page_up_to is not null)),
  check ((page_end is null) = (looked_up_to is null) and (page_end is null or page_up_to is not null))
) with (fillfactor = 50);

create index turns_due on turns (due_at) where due_at is not null;

-- The pages that were sent, or tried, as long as the delivery log is kept: those captures after after_position and up to
-- last_position, which are at most 1,000 positions apart, that their endpoint wanted. Their attempts are in attempts.
create table pages (
  day date not null,
  id uuid not null,
  endpoint_id uuid not null,
  after_position bigint not null,
  last_position bigint not null,
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
create index pages_by_place on pages (endpoint_id, last_position);
