package io.egress.api.portal;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.WrittenOutcomes;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.vertx.sqlclient.Tuple;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A workspace filled by SQL: many endpoints, captures with the longest titles that they have in
 * practice, in several scripts, and a delivery of the newest captures to each endpoint. Of each 50
 * endpoints, one failed all of its deliveries, one still retries them and one was paused.
 */
final class LargeWorkspace {
  static final int TITLE_CHARACTERS = 500;

  /** Right to left, without spaces, outside the basic plane, with marks, and with markup. */
  static final List<String> TITLES =
      List.of(
          title("اجتماع المراجعة الربعية (٢٠٢٦)، مع فريق المبيعات "),
          title("四半期の売上レビューと来期の計画について"),
          title("👩‍👩‍👧‍👦🏳️‍🌈🇯🇵"),
          title("Z̸̢̛̰̈́͊a̷̧̛͓̎͝l̵̨̛̳͗͠g̶̡̛̬̈́̕o̷̢̧͓̊"),
          title("<b>Q3</b> & \"plans\" 'n' </a> &amp; "));

  private static final int CHUNK = 20_000;

  private static final String ENDPOINTS =
      """
      insert into endpoints (id, workspace_id, spec, secret, created_position, full_history)
      select id, $1, jsonb_build_object('url', 'https://example.com/' || n, 'description', 'Receiver ' || n), '', 0, false
      from unnest($2::uuid[]) with ordinality as u(id, n)
      """;
  private static final String CAPTURES =
      """
      insert into captures (id, workspace_id, device_id, mode, title, started_at, speakers, members, digest, entered)
      select id, $1, $1, 'ambient', title, now(), '{}', '{}', '', true from unnest($2::uuid[], $3::text[]) as u(id, title)
      """;
  private static final String STREAM =
      """
      insert into stream (workspace_id, position, capture_id, chain, entered_at)
      select $1, n, id, n, $3::timestamptz from unnest($2::uuid[]) with ordinality as u(id, n)
      """;
  private static final String DELIVERIES =
      """
      insert into deliveries
        (day, id, endpoint_id, capture_id, position, origin, state, attempts, last_outcome, next_attempt_at, owed_at)
      select $1, u.id, e.id, $2, $3, 'live', s.state,
        case s.state when 'skipped' then 0 else 1 end,
        case s.state when 'delivered' then 'delivered' when 'skipped' then null else 'status' end,
        case s.state when 'pending' then now() + interval '1 hour' end, $6
      from unnest($4::uuid[], $5::uuid[]) with ordinality as u(id, endpoint_id, n)
        join endpoints e on e.id = u.endpoint_id
        cross join lateral (
          select case n % 50 when 1 then 'exhausted' when 2 then 'pending' when 3 then 'skipped' else 'delivered' end
            as state) as s
      """;
  private static final String ATTEMPTS =
      """
      insert into attempts (day, delivery_id, attempt, started_at, duration_ms, outcome, status)
      select day, id, 1, owed_at, 12, last_outcome, case state when 'delivered' then 200 else 503 end
      from deliveries where capture_id = $1 and attempts > 0
      """;

  private static final String HOURS =
      """
      insert into endpoint_hours (endpoint_id, hour, pending, delivered, exhausted, skipped, succeeded, failed, failures,
        newest, last_success_at, last_failure_at, last_failure)
      select endpoint_id, date_trunc('hour', $2::timestamptz, 'UTC'), count(*) filter (where state = 'pending'),
        count(*) filter (where state = 'delivered'), count(*) filter (where state = 'exhausted'),
        count(*) filter (where state = 'skipped'), count(*) filter (where last_outcome = 'delivered'),
        count(*) filter (where last_outcome <> 'delivered'), '{}',
        coalesce(string_agg((last_outcome = 'delivered')::integer::text, ''), ''),
        max(owed_at) filter (where last_outcome = 'delivered'),
        max(owed_at) filter (where last_outcome <> 'delivered'), '{"outcome":"status","status":503}'
      from deliveries where endpoint_id = any($1) group by 1, 2
      """;

  private final Service service;
  private final OffsetDateTime enteredAt = OffsetDateTime.now(ZoneOffset.UTC).minusMinutes(2);
  private final List<UUID> endpoints;
  private final List<UUID> captures;

  /** The newest {@code delivered} captures but one have an outcome at each endpoint. */
  LargeWorkspace(Service service, UUID id, int endpoints, int captures, int delivered) {
    this.service = service;
    this.endpoints = ids(endpoints);
    this.captures = ids(captures);
    new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
    service.query(
        "insert into workspaces (id, stream_head) values ('%s', %d)".formatted(id, captures));
    service.query("insert into devices (workspace_id, id) values ('%1$s', '%1$s')".formatted(id));
    execute(ENDPOINTS, Tuple.of(id, (Object) array(this.endpoints)));
    execute(CAPTURES, Tuple.of(id, array(this.captures), (Object) titles(captures)));
    execute(STREAM, Tuple.of(id, array(this.captures), enteredAt));
    for (int position = captures - delivered; position < captures; position++) {
      write(position);
    }
    execute(HOURS, Tuple.of(array(this.endpoints), enteredAt));
    service.query("analyze");
  }

  UUID endpoint(int index) {
    return endpoints.get(index);
  }

  /** At this position of the stream. */
  UUID capture(int position) {
    return captures.get(position - 1);
  }

  static String titleAt(int position) {
    return TITLES.get((position - 1) % TITLES.size());
  }

  private void write(int position) {
    UUID capture = capture(position);
    LocalDate day = enteredAt.toLocalDate();
    for (int first = 0; first < endpoints.size(); first += CHUNK) {
      List<UUID> part = endpoints.subList(first, Math.min(endpoints.size(), first + CHUNK));
      UUID[] deliveries =
          part.stream().map(each -> DeliveryId.of(each, capture)).toArray(UUID[]::new);
      execute(
          DELIVERIES, Tuple.of(day, capture, (long) position, deliveries, array(part), enteredAt));
    }
    execute(ATTEMPTS, Tuple.of(capture));
  }

  private void execute(String sql, Tuple parameters) {
    Service.await(service.database.preparedQuery(sql).execute(parameters));
  }

  private static String[] titles(int count) {
    String[] titles = new String[count];
    for (int i = 0; i < count; i++) {
      titles[i] = titleAt(i + 1);
    }
    return titles;
  }

  private static List<UUID> ids(int count) {
    List<UUID> ids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ids.add(UUID.randomUUID());
    }
    return ids;
  }

  private static UUID[] array(List<UUID> ids) {
    return ids.toArray(UUID[]::new);
  }

  private static String title(String text) {
    String repeated = text.repeat(TITLE_CHARACTERS);
    return repeated.substring(0, repeated.offsetByCodePoints(0, TITLE_CHARACTERS));
  }
}
