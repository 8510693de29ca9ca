-- What was sent and what came back, so that a dispute can be settled. revision is the capture's, null if it is not known;
-- signature is the value of x-service-signature, whose t is when the attempt started, as is the body's emitted_at; length is the
-- body's. All are null if nothing was sent. Headers are lines of "name: value", or only of a name if the value is withheld;
-- request_headers has those that are not the same in each attempt.
alter table attempts
  add column revision bigint,
  add column signature text,
  add column length integer,
  add column request_headers text,
  add column response_headers text;
