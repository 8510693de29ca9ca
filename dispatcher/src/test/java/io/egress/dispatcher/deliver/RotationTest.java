package io.egress.dispatcher.deliver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.Fleet;
import io.egress.webhook.endpoint.EndpointStore;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.SigningSecrets;
import io.vertx.core.buffer.Buffer;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A secret is rotated while webhooks are being sent. */
@Execution(ExecutionMode.CONCURRENT)
class RotationTest {
  private static final int CAPTURES = 200;

  private final Fleet fleet = new Fleet();
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void aReceiverMaySwitchAtAnyMomentOfTheOverlap() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    fleet.captures(workspace, CAPTURES);
    await().until(() -> arrived() > 0);
    String fresh = rotate(endpoint);
    fleet.captures(workspace, CAPTURES);
    await().until(() -> arrived() == 2 * CAPTURES);

    List<Arrival> arrivals = fleet.receivers.arrivals("crm");
    assertThat(arrivals).allMatch(arrival -> verifies(arrival, endpoint.secret()));
    List<Arrival> rotated =
        arrivals.stream().filter(arrival -> signatures(arrival).size() == 2).toList();
    assertThat(rotated)
        .hasSizeGreaterThanOrEqualTo(CAPTURES)
        .allMatch(each -> verifies(each, fresh));
    assertThat(signatures(rotated.get(0)).get(0))
        .as("the newest first")
        .isEqualTo(signature(rotated.get(0), fresh));

    assertThat(Fleet.await(EndpointStore.endOverlap(fleet.database, workspace, endpoint.id())))
        .isTrue();
    fleet.captures(workspace, 1);
    await().until(() -> arrived() == 2 * CAPTURES + 1);
    Arrival last = fleet.receivers.arrivals("crm").get(2 * CAPTURES);
    assertThat(signatures(last)).containsExactly(signature(last, fresh));
  }

  private String rotate(Fleet.Provisioned endpoint) {
    String fresh = SigningSecrets.generate();
    byte[] box = SecretBox.parse(Fleet.SECRET_KEY).seal(fresh, endpoint.id());
    assertThat(
            Fleet.await(
                EndpointStore.rotate(
                    fleet.database,
                    workspace,
                    endpoint.id(),
                    Buffer.buffer(box),
                    null,
                    Duration.ofHours(1))))
        .isPresent();
    return fresh;
  }

  private int arrived() {
    return fleet.receivers.arrivals("crm").size();
  }

  private static boolean verifies(Arrival arrival, String secret) {
    return signatures(arrival).contains(signature(arrival, secret));
  }

  private static List<String> signatures(Arrival arrival) {
    return Arrays.stream(arrival.signature().split(",", -1))
        .filter(part -> part.startsWith("v1="))
        .map(part -> part.substring(3))
        .toList();
  }

  private static String signature(Arrival arrival, String secret) {
    String time = arrival.signature().substring(2, arrival.signature().indexOf(','));
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
      mac.update((time + ".").getBytes(UTF_8));
      return HexFormat.of().formatHex(mac.doFinal(arrival.body().getBytes()));
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
