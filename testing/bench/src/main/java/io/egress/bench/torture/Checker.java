package io.egress.bench.torture;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.delivery.RetrySchedule;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Checks the evidence against the service's guarantees. */
final class Checker {
  private static final Duration COMPLETE_MAX = Duration.ofMinutes(3);

  /** A fault may cause duplicates for as long as an attempt and a hand-over take. */
  private static final long EXPLAINED_NANOS = Duration.ofSeconds(30).toNanos();

  private static final int ACCEPTED_MAX = 2;

  /** An attempt that has begun can be held up by a fault. */
  private static final long IN_FLIGHT_NANOS_MAX = Duration.ofMinutes(1).toNanos();

  /** Retry times have millisecond precision, and the receiver reads its clock before it answers. */
  private static final long EARLY_NANOS_MAX = Duration.ofMillis(50).toNanos();

  private final Supplier<String> databaseUrl;
  private final List<Tenant> tenants;
  private final Receivers receivers;
  private final Evidence evidence;
  private final long startNanos = System.nanoTime();
  private long deliveries;
  private long duplicates;

  /** {@code databaseUrl} is that of the server that takes writes. */
  Checker(
      Supplier<String> databaseUrl, List<Tenant> tenants, Receivers receivers, Evidence evidence) {
    this.databaseUrl = databaseUrl;
    this.tenants = tenants;
    this.receivers = receivers;
    this.evidence = evidence;
  }

  long deliveries() {
    return deliveries;
  }

  /** Second successes of a delivery. */
  long duplicates() {
    return duplicates;
  }

  void check() throws SQLException, InterruptedException {
    for (Tenant tenant : tenants) {
      List<UUID> stream = completed(tenant);
      checkReadings(tenant, stream);
      checkErasures(tenant);
      checkCopies(tenant, stream);
      checkDeliveries(tenant, stream);
    }
    checkAcknowledged();
    checkEnded();
    checkDuplicates();
  }

  /** The stream once nothing enters it any more: what was put last may still be on its way. */
  private List<UUID> completed(Tenant tenant) throws SQLException, InterruptedException {
    List<UUID> stream = stream(tenant);
    while (true) {
      awaitComplete(tenant, stream);
      List<UUID> later = stream(tenant);
      if (later.size() == stream.size()) {
        return stream;
      }
      stream = later;
    }
  }

  /** Checks positions and chain of the stream in the database. */
  private List<UUID> stream(Tenant tenant) throws SQLException {
    List<UUID> stream = new ArrayList<>();
    long chain = 0;
    try (Connection connection = DriverManager.getConnection(jdbcUrl());
        PreparedStatement statement =
            connection.prepareStatement(
                "select position, capture_id, chain from stream where workspace_id = ? order by position")) {
      statement.setObject(1, tenant.id());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          UUID captureId = rows.getObject(2, UUID.class);
          stream.add(captureId);
          chain = next(chain, captureId);
          if (rows.getLong(1) != stream.size() || rows.getLong(3) != chain) {
            evidence.violation(
                "position %d of %s is %d, its chain %d instead of %d"
                    .formatted(
                        stream.size(), tenant.id(), rows.getLong(1), rows.getLong(3), chain));
            return stream;
          }
        }
      }
    }
    return stream;
  }

  private void checkAcknowledged() throws SQLException {
    Set<UUID> entered = new HashSet<>();
    for (Tenant tenant : tenants) {
      entered.addAll(stream(tenant));
    }
    evidence
        .acknowledged()
        .forEach((id, acknowledged) -> {
          if (!entered.contains(id) && !evidence.ended().contains(acknowledged.workspaceId())) {
            evidence.violation("capture " + id + " was acknowledged and is lost");
          }
        });
  }

  private void awaitComplete(Tenant tenant, List<UUID> stream) throws InterruptedException {
    long end = System.nanoTime() + COMPLETE_MAX.toNanos();
    while (System.nanoTime() < end && !isComplete(tenant, stream)) {
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  private boolean isComplete(Tenant tenant, List<UUID> stream) {
    List<UUID> readable = withoutErased(stream);
    for (List<UUID> reading : tenant.readings()) {
      synchronized (reading) {
        if (withoutErased(reading).size() < readable.size()) {
          return false;
        }
      }
    }
    if (tenant.erasuresRead() < erasedOf(tenant).size() || !unnotified(tenant, stream).isEmpty()) {
      return false;
    }
    return tenant.owed().stream().allMatch(endpoint -> missing(endpoint, stream).isEmpty());
  }

  private List<UUID> missing(Tenant.Endpoint endpoint, List<UUID> stream) {
    long before = endpoint.replayed() ? 0 : endpoint.exactFrom() - 1;
    return stream.stream()
        .skip(before)
        .filter(
            id -> !evidence.erased().containsKey(id) && !evidence.wasAccepted(endpoint.name(), id))
        .toList();
  }

  private List<UUID> withoutErased(List<UUID> captures) {
    return captures.stream().filter(id -> !evidence.erased().containsKey(id)).toList();
  }

  private Set<UUID> erasedOf(Tenant tenant) {
    return evidence.erased().keySet().stream().filter(tenant::isOf).collect(toSet());
  }

  /** Missing notifications to endpoints that existed and were owed the capture. */
  private List<String> unnotified(Tenant tenant, List<UUID> stream) {
    List<String> unnotified = new ArrayList<>();
    for (Tenant.Endpoint endpoint : tenant.owed()) {
      stream.stream()
          .skip(Math.max(0, endpoint.exactFrom() - 1))
          .filter(id -> {
            Evidence.Erased erased = evidence.erased().get(id);
            return erased != null
                && erased.askedNanos() - endpoint.notifiedFromNanos() > 0
                && !evidence.wasNotified(endpoint.name(), id);
          })
          .forEach(id ->
              unnotified.add(endpoint.name() + " was not notified that " + id + " was erased"));
    }
    return unnotified;
  }

  private void checkErasures(Tenant tenant) {
    int erased = erasedOf(tenant).size();
    if (tenant.erasuresRead() != erased) {
      evidence.violation(
          "the mirror of %s has read %d of %d erasures"
              .formatted(tenant.id(), tenant.erasuresRead(), erased));
    }
  }

  /** Every copy equals the current state, once what has changed last has reached it. */
  private void checkCopies(Tenant tenant, List<UUID> stream) throws InterruptedException {
    long end = System.nanoTime() + COMPLETE_MAX.toNanos();
    List<String> stale = stale(tenant, stream);
    while (!stale.isEmpty() && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(500);
      stale = stale(tenant, stream);
    }
    stale.forEach(evidence::violation);
  }

  private List<String> stale(Tenant tenant, List<UUID> stream) throws InterruptedException {
    Map<UUID, String> current = tenant.current();
    List<String> stale =
        new ArrayList<>(differences("the mirror of " + tenant.id(), tenant.mirror(), current));
    tenant
        .streamCopies()
        .forEach(
            (endpoint, reader) -> stale.addAll(differences(endpoint, reader.documents(), current)));
    for (Tenant.Endpoint endpoint : tenant.owed()) {
      Map<UUID, String> owed = new HashMap<>(current);
      stream.stream().limit(endpoint.exactFrom() - 1).forEach(owed::remove);
      Map<UUID, String> copy = receivers.copy(endpoint.name()).documents();
      copy.keySet()
          .retainAll(
              stream.subList(
                  (int) Math.min(stream.size(), endpoint.exactFrom() - 1), stream.size()));
      stale.addAll(differences(endpoint.name(), copy, owed));
    }
    return stale;
  }

  private static List<String> differences(String holder, Copy copy, Map<UUID, String> current) {
    return differences(holder, copy.documents(), current);
  }

  private static List<String> differences(
      String holder, Map<UUID, String> copy, Map<UUID, String> current) {
    Set<UUID> ids = new HashSet<>(copy.keySet());
    ids.addAll(current.keySet());
    return ids.stream()
        .filter(id -> !Objects.equals(copy.get(id), current.get(id)))
        .map(id ->
            "%s has %s of capture %s, which is %s"
                .formatted(holder, copy.get(id), id, current.get(id)))
        .toList();
  }

  /** What a workspace that has ended contained is erased in the background. */
  private void checkEnded() throws SQLException, InterruptedException {
    long end = System.nanoTime() + COMPLETE_MAX.toNanos();
    for (UUID workspaceId : evidence.ended()) {
      while (isLeft(workspaceId)) {
        if (System.nanoTime() - end > 0) {
          evidence.violation("something is left of the ended workspace " + workspaceId);
          return;
        }
        TimeUnit.MILLISECONDS.sleep(200);
      }
    }
  }

  private boolean isLeft(UUID workspaceId) throws SQLException {
    try (Connection connection = DriverManager.getConnection(jdbcUrl());
        PreparedStatement statement =
            connection.prepareStatement(
                """
                select exists (
                    select from captures where workspace_id = ? and (erased_at is null or members <> '{}'))
                  or exists (select from members where workspace_id = ?)
                """)) {
      for (int i = 1; i <= 2; i++) {
        statement.setObject(i, workspaceId);
      }
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getBoolean(1);
      }
    }
  }

  private void checkReadings(Tenant tenant, List<UUID> stream) {
    for (List<UUID> reading : tenant.readings()) {
      synchronized (reading) {
        if (!withoutErased(reading).equals(withoutErased(stream))) {
          evidence.violation(
              "a cursor loop of %s has read %d captures of %d, or in another order"
                  .formatted(tenant.id(), reading.size(), stream.size()));
        }
      }
    }
  }

  private void checkDeliveries(Tenant tenant, List<UUID> stream) {
    for (Tenant.Endpoint endpoint : tenant.owed()) {
      List<UUID> missing = missing(endpoint, stream);
      if (!missing.isEmpty()) {
        evidence.violation(
            "%s never got %d captures, the first of them %s"
                .formatted(endpoint.name(), missing.size(), missing.get(0)));
      }
      for (int i = 0; i < stream.size(); i++) {
        UUID captureId = stream.get(i);
        List<Evidence.Arrival> arrivals = evidence.arrivals(endpoint.name(), captureId);
        UUID deliveryId = DeliveryId.of(endpoint.id(), captureId);
        boolean byReplay = endpoint.replayed() && i < endpoint.exactFrom() - 1;
        if (!byReplay
            && arrivals.stream().anyMatch(arrival -> !arrival.deliveryId().equals(deliveryId))) {
          evidence.violation(
              "%s got %s under another delivery id".formatted(endpoint.name(), captureId));
        }
        checkSchedule(endpoint, captureId, arrivals);
        checkNotSentAfterErasure(endpoint, captureId, arrivals);
      }
    }
    unnotified(tenant, stream).forEach(evidence::violation);
  }

  private void checkNotSentAfterErasure(
      Tenant.Endpoint endpoint, UUID captureId, List<Evidence.Arrival> arrivals) {
    Evidence.Erased erased = evidence.erased().get(captureId);
    if (erased != null
        && erased.doneNanos() != 0
        && arrivals.stream()
            .anyMatch(arrival -> arrival.nanos() - erased.doneNanos() > IN_FLIGHT_NANOS_MAX)) {
      evidence.violation(
          "%s was sent %s long after it was erased".formatted(endpoint.name(), captureId));
    }
  }

  /** No retry comes before its time. */
  private void checkSchedule(
      Tenant.Endpoint endpoint, UUID captureId, List<Evidence.Arrival> arrivals) {
    RetrySchedule schedule = RetrySchedule.parse(Fleet.RETRY_SCHEDULE);
    long refusedNanos = 0;
    int attempt = 0;
    for (Evidence.Arrival arrival : arrivals) {
      attempt++;
      if (refusedNanos != 0
          && arrival.nanos() - refusedNanos < schedule.delayAfter(1).toNanos() - EARLY_NANOS_MAX
          && !isExplained(refusedNanos, arrival.nanos())) {
        evidence.violation(
            "attempt %d of %s to %s came %d ms after the one that failed"
                .formatted(
                    attempt,
                    captureId,
                    endpoint.name(),
                    TimeUnit.NANOSECONDS.toMillis(arrival.nanos() - refusedNanos)));
      }
      refusedNanos = arrival.accepted() ? 0 : arrival.nanos();
    }
  }

  /** Every second success is explained by a fault, or by a first one that was not observed. */
  private void checkDuplicates() throws SQLException {
    for (Evidence.Sent sent : evidence.sent()) {
      List<Evidence.Arrival> accepted =
          evidence.arrivals(sent.endpoint(), sent.captureId()).stream()
              .filter(Evidence.Arrival::accepted)
              .toList();
      deliveries += accepted.isEmpty() ? 0 : 1;
      if (accepted.size() > ACCEPTED_MAX) {
        evidence.violation(
            "%s accepted %s %d times, %s s after the start; attempts: %s"
                .formatted(
                    sent.endpoint(),
                    sent.captureId(),
                    accepted.size(),
                    accepted.stream().map(this::secondsAfterStart).collect(joining(", ")),
                    attempts(accepted.get(0).deliveryId())));
      }
      for (int i = 1; i < accepted.size(); i++) {
        duplicates++;
        Evidence.Arrival first = accepted.get(i - 1);
        Evidence.Arrival second = accepted.get(i);
        String remembered = attempts(second.deliveryId());
        boolean unobserved = remembered.contains("timeout") || remembered.contains("reset");
        if (!unobserved && !isExplained(first.nanos(), second.nanos())) {
          evidence.violation(
              "%s got %s twice, %.1f s after the start and %d ms later, and no fault explains it; attempts: %s"
                  .formatted(
                      sent.endpoint(),
                      sent.captureId(),
                      (first.nanos() - startNanos) / 1e9,
                      TimeUnit.NANOSECONDS.toMillis(second.nanos() - first.nanos()),
                      remembered));
        }
      }
    }
  }

  private String secondsAfterStart(Evidence.Arrival arrival) {
    return "%.1f".formatted((arrival.nanos() - startNanos) / 1e9);
  }

  /** The outcomes of a delivery's attempts, according to the service. */
  private String attempts(UUID deliveryId) throws SQLException {
    try (Connection connection = DriverManager.getConnection(jdbcUrl());
        PreparedStatement statement =
            connection.prepareStatement(
                "select string_agg(outcome || ' after ' || duration_ms || ' ms', ', ' order by attempt)"
                    + " from attempts where delivery_id = ?")) {
      statement.setObject(1, deliveryId);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return String.valueOf(rows.getString(1));
      }
    }
  }

  private boolean isExplained(long fromNanos, long toNanos) {
    return evidence.disturbances().stream()
        .anyMatch(fault ->
            fault.fromNanos() - toNanos < 0 && fault.toNanos() + EXPLAINED_NANOS - fromNanos > 0);
  }

  private String jdbcUrl() {
    return jdbcUrl(URI.create(databaseUrl.get()));
  }

  static String jdbcUrl(URI uri) {
    String[] account = uri.getUserInfo().split(":", 2);
    return "jdbc:postgresql://%s:%d%s?user=%s&password=%s"
        .formatted(uri.getHost(), uri.getPort(), uri.getPath(), account[0], account[1]);
  }

  /** The database's computation of the chain, implemented independently. */
  static long next(long chain, UUID captureId) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(
                  ByteBuffer.allocate(24)
                      .putLong(chain)
                      .putLong(captureId.getMostSignificantBits())
                      .putLong(captureId.getLeastSignificantBits())
                      .array());
      return ByteBuffer.wrap(hash).getLong();
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
