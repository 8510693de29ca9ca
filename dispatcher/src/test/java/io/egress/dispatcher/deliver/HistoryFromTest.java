package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Fleet.Provisioned;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.NewEndpoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Endpoints whose history begins at an instant. */
@Execution(ExecutionMode.CONCURRENT)
class HistoryFromTest {
  private static final int BEFORE = 5;

  private final Fleet fleet = new Fleet();
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  private Provisioned endpoint(EndpointSpec spec, Instant from) {
    return fleet.endpoint(
        workspace,
        new NewEndpoint(
            spec, new NewEndpoint.Start(false, from), false, CustomHeaders.NONE, null, null, null));
  }

  /** The instant is between two captures. */
  private Instant entered(List<UUID> later) {
    fleet.captures(workspace, BEFORE);
    Instant from = now();
    later.addAll(fleet.captures(workspace, 3));
    return from;
  }

  private Instant now() {
    return fleet
        .query("select clock_timestamp()")
        .iterator()
        .next()
        .getOffsetDateTime(0)
        .toInstant();
  }

  @Test
  void getsWhatHasEnteredSinceThenAndWhatEntersLater() {
    List<UUID> wanted = new ArrayList<>();
    Instant from = entered(wanted);
    Provisioned endpoint = endpoint(EndpointSpec.of(fleet.receivers.url("crm")), from);
    assertThat(endpoint.createdPosition()).isEqualTo(BEFORE);
    fleet.dispatcher();
    wanted.addAll(fleet.captures(workspace, 2));
    await()
        .untilAsserted(() ->
            assertThat(fleet.receivers.arrivals("crm"))
                .extracting(Arrival::captureId)
                .containsExactlyInAnyOrderElementsOf(wanted));
    await()
        .untilAsserted(() ->
            assertThat(fleet.count("deliveries where state = 'delivered' and position > 5"))
                .isEqualTo(wanted.size()));
    assertThat(fleet.count("deliveries")).isEqualTo(wanted.size());
    assertThat(fleet.count("backfills where published = 3 and finished_at is not null")).isOne();
  }

  @Test
  void alsoWithAFilter() {
    List<UUID> later = new ArrayList<>();
    Instant from = entered(later);
    UUID wanted = later.get(1);
    fleet.query("update captures set mode = 'ambient' where id = '" + wanted + "'");
    endpoint(
        Fleet.spec(
            fleet.receivers.url("crm"), Map.of("filter", Map.of("modes", Set.of("ambient")))),
        from);
    fleet.dispatcher();
    await()
        .untilAsserted(() ->
            assertThat(fleet.receivers.arrivals("crm"))
                .extracting(Arrival::captureId)
                .containsExactly(wanted));
    await().until(() -> fleet.count("backfills where finished_at is not null") == 1);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(1);
  }

  @Test
  void beginsNowIfNothingHasEnteredSinceThen() {
    fleet.captures(workspace, BEFORE);
    Provisioned endpoint =
        endpoint(
            EndpointSpec.of(fleet.receivers.url("crm")), Instant.parse("9000-01-01T00:00:00Z"));
    assertThat(endpoint.createdPosition()).isEqualTo(BEFORE);
    assertThat(fleet.count("endpoints where full_history")).isZero();
    assertThat(fleet.count("backfills")).isZero();
  }
}
