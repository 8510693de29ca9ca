package io.egress.standalone.receiver;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.webhook.delivery.Event;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Verifies webhooks as described in docs/receiving.md. It shares no code with the sender, so that
 * tests check the documented contract.
 */
public final class WebhookVerifier {
  /** Whether a request is a valid webhook of this service. */
  public sealed interface Verdict {
    record Genuine(UUID deliveryId, JsonObject data) implements Verdict {}

    record Refused(String reason) implements Verdict {}
  }

  private static final long AGE_SECONDS_MAX = 300;
  private static final Set<String> EVENTS = Set.copyOf(Event.words(List.of(Event.values())));
  private static final String ALGORITHM = "HmacSHA256";
  private static final Pattern TIMESTAMP = Pattern.compile("t=([0-9]{1,12})");

  private final SecretKeySpec key;
  private final InstantSource clock;

  /** The HMAC key is the whole text of the secret. */
  public WebhookVerifier(String secret, InstantSource clock) {
    this.key = new SecretKeySpec(secret.getBytes(UTF_8), ALGORITHM);
    this.clock = clock;
  }

  /** {@code body} is the raw body: JSON that was parsed and serialized again has other bytes. */
  public Verdict verify(MultiMap headers, Buffer body) {
    String unsigned = signatureProblem(headers.get("x-service-signature"), body.getBytes());
    if (unsigned == null && headers.contains("webhook-signature")) {
      unsigned = standardProblem(headers, body.getBytes());
    }
    return unsigned == null ? inflate(headers, body) : new Verdict.Refused(unsigned);
  }

  /** What is not genuine is not decompressed. */
  private static Verdict inflate(MultiMap headers, Buffer body) {
    String encoding = headers.get("content-encoding");
    if (encoding == null) {
      return read(headers, body);
    }
    if (!encoding.equals("gzip")) {
      return new Verdict.Refused("content-encoding is not gzip");
    }
    try (var text = new GZIPInputStream(new ByteArrayInputStream(body.getBytes()))) {
      return read(headers, Buffer.buffer(text.readAllBytes()));
    } catch (IOException damaged) {
      return new Verdict.Refused("the body cannot be decompressed");
    }
  }

  private @Nullable String signatureProblem(@Nullable String signature, byte[] body) {
    if (signature == null) {
      return "x-service-signature is missing";
    }
    List<String> parts = Arrays.asList(signature.split(",", -1));
    Matcher timestamp = TIMESTAMP.matcher(parts.get(0));
    if (!timestamp.matches()) {
      return "x-service-signature does not begin with t=<unix seconds>";
    }
    byte[] expected =
        ("v1=" + HexFormat.of().formatHex(hmac(timestamp.group(1), body))).getBytes(UTF_8);
    // During a rotation each secret signs. isEqual takes constant time.
    if (parts.stream().noneMatch(part -> MessageDigest.isEqual(part.getBytes(UTF_8), expected))) {
      return "the signature does not match the body";
    }
    long ageSeconds = clock.instant().getEpochSecond() - Long.parseLong(timestamp.group(1));
    if (Math.abs(ageSeconds) > AGE_SECONDS_MAX) {
      return "the signature is " + ageSeconds + " s old, " + AGE_SECONDS_MAX + " s are allowed";
    }
    return null;
  }

  /** The headers of Standard Webhooks, which an endpoint may ask for, have to say the same. */
  private @Nullable String standardProblem(MultiMap headers, byte[] body) {
    String id = headers.get("webhook-id");
    String timestamp = headers.get("webhook-timestamp");
    if (id == null || !id.equals(headers.get("x-service-delivery"))) {
      return "webhook-id is not x-service-delivery";
    }
    if (timestamp == null
        || !headers.get("x-service-signature").startsWith("t=" + timestamp + ",")) {
      return "webhook-timestamp is not the t of x-service-signature";
    }
    byte[] hmac = hmac(id + "." + timestamp, body);
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(hmac)).getBytes(UTF_8);
    return Arrays.stream(headers.get("webhook-signature").split(" ", -1))
            .anyMatch(part -> MessageDigest.isEqual(part.getBytes(UTF_8), expected))
        ? null
        : "webhook-signature does not match the body";
  }

  private byte[] hmac(String prefix, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update((prefix + ".").getBytes(UTF_8));
      return mac.doFinal(body);
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  private static Verdict read(MultiMap headers, Buffer body) {
    if (!"application/json".equals(headers.get("content-type"))) {
      return new Verdict.Refused("content-type is not application/json");
    }
    String event = headers.get("x-service-event");
    if (event == null || !EVENTS.contains(event)) {
      return new Verdict.Refused("x-service-event is none of " + new TreeSet<>(EVENTS));
    }
    try {
      JsonObject envelope = body.toJsonObject();
      if (!event.equals(envelope.getString("event"))) {
        return new Verdict.Refused("x-service-event is not the envelope's event");
      }
      UUID deliveryId = UUID.fromString(envelope.getString("delivery_id", ""));
      if (!deliveryId.toString().equals(headers.get("x-service-delivery"))) {
        return new Verdict.Refused("x-service-delivery is not the envelope's delivery_id");
      }
      JsonObject data = envelope.getJsonObject("data");
      return data == null
          ? new Verdict.Refused("the envelope has no data")
          : new Verdict.Genuine(deliveryId, data);
    } catch (DecodeException | ClassCastException | IllegalArgumentException malformed) {
      return new Verdict.Refused("the body is not an envelope");
    }
  }
}
