package io.egress.webhook.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.json.Json;
import io.egress.webhook.delivery.Event;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Release 1.0.0 shares the rows of endpoints with this one. */
class StoredSpecTest {
  /** As release 1.0.0 reads it. */
  private record Read(
      String url,
      @Nullable String description,
      @Nullable Integer maxPerSecond,
      @Nullable Integer maxInFlight,
      boolean standardWebhooks,
      Set<Event> events) {}

  @ParameterizedTest
  @EnumSource
  void releaseOneReadsABoolean(StandardWebhooks standard) {
    Read read = Json.decode(StoredSpec.encode(spec(standard)).encode(), Read.class);

    assertThat(read.standardWebhooks()).isEqualTo(standard != StandardWebhooks.OFF);
  }

  @ParameterizedTest
  @EnumSource
  void isReadAsItWasWritten(StandardWebhooks standard) {
    EndpointSpec spec = spec(standard);

    assertThat(StoredSpec.decode(StoredSpec.encode(spec).encode())).isEqualTo(spec);
  }

  @Test
  void whatReleaseOneWroteIsRead() {
    for (boolean standard : new boolean[] {false, true}) {
      JsonObject written =
          Json.object(new Read("https://example.com", null, 5, null, standard, Set.of()));

      assertThat(StoredSpec.decode(written.encode()).standardWebhooks())
          .isEqualTo(standard ? StandardWebhooks.HMAC : StandardWebhooks.OFF);
    }
  }

  /** It writes only the properties that have changed, of those that it knows. */
  @Test
  void whatReleaseOneSwitchesOffIsOff() {
    JsonObject stored = StoredSpec.encode(spec(StandardWebhooks.ED25519));
    stored.put("standard_webhooks", false);
    EndpointSpec off = StoredSpec.decode(stored.encode());
    assertThat(off.standardWebhooks()).isEqualTo(StandardWebhooks.OFF);

    stored.mergeIn(StoredSpec.changes(off, spec(StandardWebhooks.HMAC)));
    assertThat(StoredSpec.decode(stored.encode()).standardWebhooks())
        .isEqualTo(StandardWebhooks.HMAC);
  }

  @Test
  void onlyWhatHasChangedIsWritten() {
    assertThat(StoredSpec.changes(spec(StandardWebhooks.HMAC), spec(StandardWebhooks.HMAC)))
        .isEmpty();
    assertThat(
            StoredSpec.changes(spec(StandardWebhooks.HMAC), spec(StandardWebhooks.ED25519))
                .fieldNames())
        .containsExactly("standard_webhooks_ed25519");
  }

  private static EndpointSpec spec(StandardWebhooks standard) {
    return new EndpointSpec(
        "https://example.com", null, 5, null, standard, Set.of(), Payload.DOCUMENT, false, null);
  }
}
