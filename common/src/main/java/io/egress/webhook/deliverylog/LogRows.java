package io.egress.webhook.deliverylog;

import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.send.SentRequest;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Entries as one array per column. */
final class LogRows {
  /** The entries, of which {@link #of} is the parameters. */
  static final String ENTRIES =
      """
      with entry as (
        select * from unnest($1::date[], $2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::uuid[], $7::text[],
          $8::text[], $9::smallint[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[], $13::integer[],
          $14::text[], $15::smallint[], $16::text[], $17::bytea[], $18::bigint[], $19::text[], $20::integer[], $21::text[],
          $22::text[], $23::smallint[])
          as e(day, id, endpoint_id, capture_id, position, replay_id, origin, state,
            attempts, owed_at, next_attempt_at, started_at, duration_ms, outcome,
            status, detail, answer, revision, signature, length, request_headers, response_headers, times))
      """;

  /** Into a table, without the answers where a condition holds. */
  static final String INSERT_ATTEMPTS =
      """
      insert into %1$s (day, delivery_id, attempt, started_at, duration_ms, outcome, status, detail, answer,
        revision, signature, length, request_headers, response_headers, times)
      select day, id, attempts, started_at, duration_ms, outcome, status, detail,
        case when not (%2$s) then answer end, revision, signature, length, request_headers,
        case when not (%2$s) then response_headers end, coalesce(times, 1)
      from entry
      where started_at is not null
      """;

  private LogRows() {}

  static Tuple of(LocalDate day, List<LogEntry> entries) {
    Tuple tuple = Tuple.tuple();
    Entries columns = new Entries(new Columns<>(entries, tuple));
    columns.add(_ -> day, LocalDate[]::new);
    columns.add(entry -> entry.delivery().id(), UUID[]::new);
    columns.add(entry -> entry.delivery().endpointId(), UUID[]::new);
    columns.add(entry -> entry.delivery().captureId(), UUID[]::new);
    columns.add(entry -> entry.delivery().position(), Long[]::new);
    columns.add(entry -> entry.delivery().replayId(), UUID[]::new);
    columns.add(entry -> entry.delivery().origin().word(), String[]::new);
    columns.add(entry -> entry.state().word(), String[]::new);
    columns.add(entry -> (short) entry.attempts(), Short[]::new);
    columns.add(entry -> Columns.utc(entry.delivery().owedAt()), OffsetDateTime[]::new);
    columns.add(entry -> Columns.utc(entry.nextAttemptAt()), OffsetDateTime[]::new);
    columns.ofAttempt(attempt -> Columns.utc(attempt.startedAt()), OffsetDateTime[]::new);
    columns.ofAttempt(attempt -> (int) attempt.duration().toMillis(), Integer[]::new);
    columns.ofAttempt(MadeAttempt::outcome, String[]::new);
    columns.ofAttempt(LogRows::status, Short[]::new);
    columns.ofAttempt(MadeAttempt::detail, String[]::new);
    columns.ofAttempt(LogRows::answer, Buffer[]::new);
    columns.ofAttempt(MadeAttempt::revision, Long[]::new);
    columns.ofRequest(SentRequest::signature, String[]::new);
    columns.ofRequest(SentRequest::length, Integer[]::new);
    columns.ofRequest(SentRequest::headers, String[]::new);
    columns.ofAttempt(LogRows::answerHeaders, String[]::new);
    columns.ofRequest(request -> (short) request.times(), Short[]::new);
    return tuple;
  }

  static Tuple question(LocalDate day, List<Delivery> deliveries) {
    return Tuple.tuple()
        .addLocalDate(day)
        .addArrayOfUUID(deliveries.stream().map(Delivery::id).toArray(UUID[]::new));
  }

  private record Entries(Columns<LogEntry> columns) {
    private <T> void add(Function<LogEntry, @Nullable T> field, IntFunction<T[]> array) {
      columns.add(field, array);
    }

    private <T> void ofAttempt(Function<MadeAttempt, @Nullable T> field, IntFunction<T[]> array) {
      add(
          entry -> {
            MadeAttempt attempt = entry.attempt();
            return attempt == null ? null : field.apply(attempt);
          },
          array);
    }

    private <T> void ofRequest(Function<SentRequest, T> field, IntFunction<T[]> array) {
      ofAttempt(
          attempt -> {
            SentRequest request = attempt.exchanged().request();
            return request == null ? null : field.apply(request);
          },
          array);
    }
  }

  private static @Nullable String answerHeaders(MadeAttempt attempt) {
    String headers = attempt.exchanged().answerHeaders();
    return headers.isEmpty() ? null : headers;
  }

  private static @Nullable Short status(MadeAttempt attempt) {
    Integer status = attempt.status();
    return status == null ? null : status.shortValue();
  }

  private static @Nullable Buffer answer(MadeAttempt attempt) {
    return attempt.answerStart().length() == 0 ? null : attempt.answerStart();
  }
}
