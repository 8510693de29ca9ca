package io.egress.webhook.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.platform.kafka.NewerRecordException;
import io.egress.webhook.delivery.Delivery.Origin;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveryTest {
  private static final Delivery RETRIED =
      new Delivery(
          UUID.randomUUID(),
          UUID.randomUUID(),
          UUID.randomUUID(),
          5_000_000_000L,
          UUID.randomUUID(),
          Origin.REPLAY,
          Instant.parse("2026-11-21T10:00:00.123456Z"),
          3,
          Instant.parse("2026-11-21T10:05:00Z"),
          Instant.parse("2026-11-21T10:06:00Z"),
          null);

  @Test
  void survivesARoundTrip() {
    assertThat(Delivery.decode(RETRIED.encode().getBytes())).isEqualTo(RETRIED);
  }

  @Test
  void isReadableJson() {
    JsonObject json = RETRIED.encode().toJsonObject();

    assertThat(json.fieldNames())
        .containsExactly(
            "delivery_id",
            "endpoint_id",
            "capture_id",
            "position",
            "replay_id",
            "origin",
            "owed_at",
            "attempt",
            "due_at",
            "not_before");
    assertThat(json.getString("due_at")).isEqualTo("2026-11-21T10:05:00Z");
  }

  @Test
  void needsNoReplay() {
    Delivery first =
        Delivery.first(
            UUID.randomUUID(),
            UUID.randomUUID(),
            UUID.randomUUID(),
            1,
            Origin.LIVE,
            Instant.parse("2026-11-21T10:00:00Z"));

    assertThat(first.encode().toJsonObject().fieldNames()).doesNotContain("replay_id");
    assertThat(Delivery.decode(first.encode().getBytes())).isEqualTo(first);
  }

  @Test
  void ignoresFieldsOfLaterReleases() {
    JsonObject json = RETRIED.encode().toJsonObject();
    json.put("headers", new JsonObject().put("x-team", "a")).put("tags", json.fieldNames());

    assertThat(Delivery.decode(json.toBuffer().getBytes())).isEqualTo(RETRIED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"format\":2}", "{\"origin\":\"digest\"}"})
  void refusesToGuessWhatALaterReleaseMeans(String newer) {
    JsonObject json = RETRIED.encode().toJsonObject().mergeIn(new JsonObject(newer));

    assertThatThrownBy(() -> Delivery.decode(json.toBuffer().getBytes()))
        .isInstanceOf(NewerRecordException.class)
        .hasMessageEndingWith("was written by a newer release");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "null",
        "{}",
        "{\"delivery_id\":\"x\"}",
        "{\"position\":\"1\"}",
        "{\"origin\":\"elsewhere\"}",
        "{\"delivery_id\":"
      })
  void refusesOtherInput(String value) {
    assertThatThrownBy(() -> Delivery.decode(value.getBytes(UTF_8)))
        .isInstanceOf(RuntimeException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "owed_at, -1000000000-01-01T00:00:00Z",
    "due_at, +1000000000-12-31T23:59:59Z",
    "attempt, 40000"
  })
  void refusesNumbersOutOfRange(String field, String value) {
    JsonObject json = RETRIED.encode().toJsonObject();
    json.put(field, field.equals("attempt") ? Integer.valueOf(value) : value);

    assertThatThrownBy(() -> Delivery.decode(json.toBuffer().getBytes()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"delivery_id", "endpoint_id", "capture_id", "origin", "owed_at", "due_at"})
  void refusesMissingFields(String missing) {
    JsonObject json = RETRIED.encode().toJsonObject();
    json.remove(missing);

    assertThatThrownBy(() -> Delivery.decode(json.toBuffer().getBytes()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
