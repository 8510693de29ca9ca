package io.egress.webhook.deliverylog;

/**
 * How endpoints do, counted by the hour in {@code endpoint_hours}.
 *
 * <p>The counts are exact: they are added by the statement that writes the log, so what is written
 * twice is counted once. Two writers that lock rows in the same order do not deadlock.
 */
final class EndpointHours {
  private static final String ADD =
      """
      insert into endpoint_hours as h
        (endpoint_id, hour, pending, delivered, exhausted, skipped, succeeded, failed, failures, newest,
          last_success_at, last_failure_at, last_failure, latencies)
      %s
      order by 1, 2
      on conflict (endpoint_id, hour) do update
      set pending = h.pending + excluded.pending, delivered = h.delivered + excluded.delivered,
        exhausted = h.exhausted + excluded.exhausted, skipped = h.skipped + excluded.skipped,
        succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed,
        failures = case when excluded.failed > 0 then add_counts(h.failures, excluded.failures) else h.failures end,
        newest = right(h.newest || excluded.newest, 20),
        last_success_at = greatest(h.last_success_at, excluded.last_success_at),
        last_failure_at = greatest(h.last_failure_at, excluded.last_failure_at),
        last_failure = case when excluded.last_failure_at >= coalesce(h.last_failure_at, '-infinity')
          then excluded.last_failure else h.last_failure end,
        latencies = %s
      """;

  /** Element by element, which costs less than a query that unnests both. */
  private static final String ADDED_LATENCIES =
      Latencies.array(i -> "h.latencies[%1$d] + excluded.latencies[%1$d]".formatted(i + 1));

  /** Adds {@link HourCounts}, which follow the parameters of the entries. */
  static final String ADD_COUNTED =
      ADD.formatted(
          """
          select endpoint_id, hour, pending, delivered, exhausted, skipped, succeeded, failed, failures, newest,
            last_success_at, last_failure_at, last_failure, latencies::integer[]
          from unnest($24::uuid[], $25::timestamptz[], $26::integer[], $27::integer[], $28::integer[],
            $29::integer[], $30::integer[], $31::integer[], $32::jsonb[], $33::text[], $34::timestamptz[],
            $35::timestamptz[], $36::jsonb[], $37::text[])
            as u(endpoint_id, hour, pending, delivered, exhausted, skipped, succeeded, failed, failures, newest,
              last_success_at, last_failure_at, last_failure, latencies)
          """,
          ADDED_LATENCIES);

  /**
   * Counts the rows that the statement has inserted or updated: its {@code entry}, {@code made}
   * (the ids of inserted attempts) and {@code written} (inserted and updated deliveries). The log
   * updates only pending deliveries. A row that was not inserted was therefore pending before.
   */
  static final String ADD_CHANGED =
      """
      , counted as (
        select endpoint_id, date_bin('1 hour', owed_at, 'epoch') as hour,
          (state = 'pending')::integer - (not is_new)::integer as pending, (state = 'delivered')::integer as delivered,
          (state = 'exhausted')::integer as exhausted, (state = 'skipped')::integer as skipped,
          null::timestamptz as started_at, null::text as outcome, null::smallint as status, null::text as detail,
          null::integer as bucket
        from written where origin = 'live' and (is_new or state <> 'pending')
        union all
        select endpoint_id, date_bin('1 hour', started_at, 'epoch'), 0, 0, 0, 0, started_at, outcome, status, detail,
          %s
        from (
          select endpoint_id, case when id in (table made) then started_at end as started_at, outcome, status, detail,
            duration_ms
          from entry) as attempted
        where started_at is not null)
      """
              .formatted(Latencies.BUCKET)
          + ADD.formatted(
              """
              select endpoint_id, hour, sum(pending), sum(delivered), sum(exhausted), sum(skipped),
                count(*) filter (where outcome = 'delivered'), count(*) filter (where outcome <> 'delivered'),
                case when count(*) filter (where outcome <> 'delivered') = 0 then '{}'
                  else count_words(array_agg(outcome) filter (where outcome <> 'delivered')) end,
                coalesce(right(string_agg(case outcome when 'delivered' then '1' else '0' end, '' order by started_at)
                  filter (where outcome is not null), 20), ''),
                max(started_at) filter (where outcome = 'delivered'),
                max(started_at) filter (where outcome <> 'delivered'),
                (array_agg(jsonb_build_object('outcome', outcome, 'status', status, 'detail', left(detail, 200))
                  order by started_at)
                  filter (where outcome <> 'delivered'))[count(*) filter (where outcome <> 'delivered')],
                %s::integer[]
              from counted group by 1, 2
              """
                  .formatted(Latencies.array(i -> "count(*) filter (where bucket = " + i + ")")),
              ADDED_LATENCIES);

  private EndpointHours() {}
}
