package io.egress.standalone.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.standalone.receiver.WebhookReceiver.Arrival;
import io.egress.standalone.receiver.WebhookVerifier.Verdict.Genuine;
import io.egress.standalone.receiver.WebhookVerifier.Verdict.Refused;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JournalTest {
  private static final Genuine GENUINE =
      new Genuine(UUID.randomUUID(), new JsonObject().put("title", "Talk about tea"));

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final Journal journal = new Journal(new PrintStream(written, true, UTF_8));

  @Test
  void alignsItsColumns() {
    journal.begin();
    journal.finished("Talk about tea");
    journal.arrived(new Arrival("flaky", GENUINE, 1, 503, false));

    assertThat(written.toString(UTF_8).lines().map(line -> line.substring(12)))
        .containsExactly(
            "  where     attempt  verified  answer  capture",
            "  pipeline  finished                   Talk about tea",
            "  flaky     1        yes       503     Talk about tea");
  }

  @Test
  void highlightsFailedVerifications() {
    journal.begin();
    journal.arrived(new Arrival("healthy", new Refused("forged"), 0, 400, false));
    journal.summary();

    assertThat(written.toString(UTF_8))
        .contains("healthy   ?        NO        400     !!! NOT VERIFIED: forged")
        .contains("0 webhooks verified")
        .contains("!!! 1 WEBHOOKS DID NOT VERIFY");
  }

  @Test
  void sumsUp() {
    journal.begin();
    journal.finished("Talk about tea");
    journal.arrived(new Arrival("healthy", GENUINE, 1, 200, true));
    journal.arrived(new Arrival("flaky", GENUINE, 1, 503, false));
    journal.arrived(new Arrival("flaky", GENUINE, 2, 200, true));
    journal.summary();

    assertThat(written.toString(UTF_8))
        .endsWith(
            "1 captures finished, 3 webhooks verified, 1 of them refused with 503, 1 recovered\n");
  }

  @Test
  void summarizesNothingBeforeTheDemoBegins() {
    journal.summary();

    assertThat(written.size()).isZero();
  }
}
