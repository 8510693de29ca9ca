package io.egress.webhook.deliverylog;

import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What entries add to an hour of an endpoint, if the log has nothing of their deliveries. */
final class HourCounts {
  private static final int NEWEST_MAX = 20;
  private static final int DETAIL_MAX = 200;

  private record Hour(UUID endpointId, Instant start) {
    static Hour of(Delivery delivery, Instant time) {
      return new Hour(delivery.endpointId(), time.truncatedTo(ChronoUnit.HOURS));
    }
  }

  private final Hour hour;
  private final Map<DeliveryState, Integer> states = new EnumMap<>(DeliveryState.class);
  private final List<MadeAttempt> successes = new ArrayList<>();
  private final List<MadeAttempt> failures = new ArrayList<>();
  private final Latencies latencies = new Latencies();

  private HourCounts(Hour hour) {
    this.hour = hour;
  }

  /** As the parameters of {@link EndpointHours#ADD_COUNTED}. */
  static void add(List<LogEntry> entries, Tuple tuple) {
    Columns<HourCounts> columns = new Columns<>(count(entries), tuple);
    columns.add(each -> each.hour.endpointId(), UUID[]::new);
    columns.add(each -> Columns.utc(each.hour.start()), OffsetDateTime[]::new);
    columns.add(each -> each.in(DeliveryState.PENDING), Integer[]::new);
    columns.add(each -> each.in(DeliveryState.DELIVERED), Integer[]::new);
    columns.add(each -> each.in(DeliveryState.EXHAUSTED), Integer[]::new);
    columns.add(each -> each.in(DeliveryState.SKIPPED), Integer[]::new);
    columns.add(each -> each.successes.size(), Integer[]::new);
    columns.add(each -> each.failures.size(), Integer[]::new);
    columns.add(HourCounts::failuresByOutcome, JsonObject[]::new);
    columns.add(HourCounts::newest, String[]::new);
    columns.add(each -> started(last(each.successes)), OffsetDateTime[]::new);
    columns.add(each -> started(last(each.failures)), OffsetDateTime[]::new);
    columns.add(each -> described(last(each.failures)), JsonObject[]::new);
    columns.add(each -> each.latencies.literal(), String[]::new);
  }

  private static Collection<HourCounts> count(List<LogEntry> entries) {
    Map<Hour, HourCounts> hours = new HashMap<>();
    for (LogEntry entry : entries) {
      Delivery delivery = entry.delivery();
      if (delivery.origin() == Origin.LIVE) {
        hours
            .computeIfAbsent(Hour.of(delivery, delivery.owedAt()), HourCounts::new)
            .states
            .merge(entry.state(), 1, Integer::sum);
      }
      MadeAttempt attempt = entry.attempt();
      if (attempt != null) {
        hours
            .computeIfAbsent(Hour.of(delivery, attempt.startedAt()), HourCounts::new)
            .attempted(attempt);
      }
    }
    return hours.values();
  }

  private void attempted(MadeAttempt attempt) {
    (isSuccess(attempt) ? successes : failures).add(attempt);
    latencies.add(attempt.duration());
  }

  private int in(DeliveryState state) {
    return states.getOrDefault(state, 0);
  }

  private JsonObject failuresByOutcome() {
    JsonObject numbers = new JsonObject();
    for (MadeAttempt failure : failures) {
      numbers.put(failure.outcome(), numbers.getInteger(failure.outcome(), 0) + 1);
    }
    return numbers;
  }

  private String newest() {
    List<MadeAttempt> attempts = new ArrayList<>(successes);
    attempts.addAll(failures);
    attempts.sort(Comparator.comparing(MadeAttempt::startedAt));
    StringBuilder newest = new StringBuilder(NEWEST_MAX);
    for (MadeAttempt attempt :
        attempts.subList(Math.max(0, attempts.size() - NEWEST_MAX), attempts.size())) {
      newest.append(isSuccess(attempt) ? '1' : '0');
    }
    return newest.toString();
  }

  private static boolean isSuccess(MadeAttempt attempt) {
    return attempt.outcome().equals(DeliveryState.DELIVERED.word());
  }

  private static @Nullable MadeAttempt last(List<MadeAttempt> attempts) {
    return attempts.stream().max(Comparator.comparing(MadeAttempt::startedAt)).orElse(null);
  }

  private static @Nullable OffsetDateTime started(@Nullable MadeAttempt attempt) {
    return attempt == null ? null : Columns.utc(attempt.startedAt());
  }

  private static @Nullable JsonObject described(@Nullable MadeAttempt failure) {
    return failure == null
        ? null
        : new JsonObject()
            .put("outcome", failure.outcome())
            .put("status", failure.status())
            .put("detail", start(failure.detail()));
  }

  private static @Nullable String start(@Nullable String detail) {
    return detail == null || detail.codePointCount(0, detail.length()) <= DETAIL_MAX
        ? detail
        : detail.substring(0, detail.offsetByCodePoints(0, DETAIL_MAX));
  }
}
