package io.egress.dispatcher.deliver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.Fleet;
import io.egress.webhook.endpoint.EndpointStore;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.SigningKey;
import io.egress.webhook.endpoint.SigningKeys;
import io.egress.webhook.endpoint.SigningSecrets;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An endpoint's key pair signs, and is rotated while a dispatcher runs. */
@Execution(ExecutionMode.CONCURRENT)
class Ed25519Test {

  private final Fleet fleet = new Fleet();
  private final SecretBox box = SecretBox.parse(Fleet.SECRET_KEY);
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void aRotationAppliesToTheNextAttempt() {
    Fleet.Provisioned endpoint = endpoint();
    fleet.dispatcher();
    SigningKey first = keys(endpoint).getFirst();
    assertThat(signers(next(), first)).containsExactly(true);

    rotate(endpoint);
    SigningKey second = keys(endpoint).getFirst();
    Arrival both = next();
    assertThat(signers(both, second)).containsExactly(true, false);
    assertThat(signers(both, first)).containsExactly(false, true);

    Fleet.await(EndpointStore.endOverlap(fleet.database, workspace, endpoint.id()));
    assertThat(signers(next(), second)).containsExactly(true);
  }

  /** Whoever records a webhook cannot pass it off as one to another receiver. */
  @Test
  void noOtherEndpointsKeyVerifies() {
    endpoint();
    Fleet.Provisioned other = endpoint("other");
    fleet.dispatcher();

    assertThat(signers(next(), keys(other).getFirst())).containsOnly(false);
  }

  /** Nothing is sent unsigned. */
  @Test
  void waitsForAKeyThatCanBeOpened() {
    Fleet.Provisioned endpoint = endpoint();
    Fleet.Provisioned another = endpoint("another");
    fleet.query(
        "update endpoints set signing_key = (select signing_key from endpoints where id = '%s') where id = '%s'"
            .formatted(another.id(), endpoint.id()));
    UUID other = UUID.randomUUID();
    fleet.endpoint(other, "other");
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    fleet.captures(other, 1);

    await().until(() -> fleet.receivers.arrivals("other").size() == 1);
    await().until(() -> fleet.count("attempts") == 2);
    assertThat(fleet.receivers.arrivals("crm")).isEmpty();
  }

  private Fleet.Provisioned endpoint() {
    return endpoint("crm");
  }

  private Fleet.Provisioned endpoint(String receiver) {
    return fleet.endpoint(
        workspace,
        new NewEndpoint(
            Fleet.spec(fleet.receivers.url(receiver), Map.of("standard_webhooks", "ed25519")),
            false));
  }

  private List<SigningKey> keys(Fleet.Provisioned endpoint) {
    return Fleet.await(EndpointStore.signingKeys(fleet.database, List.of(endpoint.id())))
        .getOrDefault(endpoint.id(), List.of());
  }

  private void rotate(Fleet.Provisioned endpoint) {
    Fleet.await(
        EndpointStore.rotate(
            fleet.database,
            workspace,
            endpoint.id(),
            Buffer.buffer(box.seal(SigningSecrets.generate(), endpoint.id())),
            SigningKeys.make(box, endpoint.id()),
            Duration.ofHours(1)));
  }

  private Arrival next() {
    int before = fleet.receivers.arrivals("crm").size();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.receivers.arrivals("crm").size() > before);
    return fleet.receivers.arrivals("crm").get(before);
  }

  /** Whether each signature is of the key. */
  private static List<Boolean> signers(Arrival arrival, SigningKey key) {
    String prefix = arrival.deliveryId() + "." + arrival.headers().get("webhook-timestamp") + ".";
    byte[] raw = Base64.getDecoder().decode(key.publicKey().substring("whpk_".length()));
    return Arrays.stream(arrival.headers().get("webhook-signature").split(" "))
        .map(signature -> {
          Ed25519Signer verifier = new Ed25519Signer();
          verifier.init(false, new Ed25519PublicKeyParameters(raw));
          verifier.update(prefix.getBytes(UTF_8), 0, prefix.length());
          verifier.update(arrival.body().getBytes(), 0, arrival.body().length());
          return verifier.verifySignature(Base64.getDecoder().decode(signature.substring(4)));
        })
        .toList();
  }
}
