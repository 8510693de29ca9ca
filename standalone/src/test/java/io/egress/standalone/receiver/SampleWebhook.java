package io.egress.standalone.receiver;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A webhook as the specification has it. */
record SampleWebhook(UUID deliveryId, MultiMap headers, Buffer body) {
  static final String SECRET = "whsec_of-this-endpoint";

  static SampleWebhook signedAt(Instant moment) {
    UUID deliveryId = UUID.randomUUID();
    Buffer body =
        new JsonObject()
            .put("event", "capture.processed")
            .put("delivery_id", deliveryId.toString())
            .put("emitted_at", moment)
            .put("data", new JsonObject().put("title", "Grüße aus Köln \ud83d\udc4b"))
            .toBuffer();
    MultiMap headers =
        HttpHeaders.headers()
            .add("content-type", "application/json")
            .add("x-service-event", "capture.processed")
            .add("x-service-delivery", deliveryId.toString());
    return new SampleWebhook(deliveryId, headers, body).signed(SECRET, moment);
  }

  SampleWebhook signed(String secret, Instant moment) {
    long unixSeconds = moment.getEpochSecond();
    return with("x-service-signature", "t=" + unixSeconds + "," + v1(secret, unixSeconds));
  }

  SampleWebhook alsoSignedByStandard(String secret, Instant moment) {
    String id = deliveryId.toString();
    long unixSeconds = moment.getEpochSecond();
    byte[] hmac = hmac(secret, id + "." + unixSeconds + ".");
    return with("webhook-id", id)
        .with("webhook-timestamp", Long.toString(unixSeconds))
        .with("webhook-signature", "v1," + Base64.getEncoder().encodeToString(hmac));
  }

  SampleWebhook with(String header, String value) {
    return new SampleWebhook(
        deliveryId, HttpHeaders.headers().addAll(headers).set(header, value), body);
  }

  SampleWebhook without(String header) {
    return new SampleWebhook(
        deliveryId, HttpHeaders.headers().addAll(headers).remove(header), body);
  }

  SampleWebhook withBody(String text) {
    return new SampleWebhook(deliveryId, headers, Buffer.buffer(text));
  }

  /** Has to be signed again. */
  SampleWebhook compressed() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(body.getBytes());
    }
    return new SampleWebhook(deliveryId, headers, Buffer.buffer(bytes.toByteArray()))
        .with("content-encoding", "gzip");
  }

  String v1(String secret, long unixSeconds) {
    return "v1=" + HexFormat.of().formatHex(hmac(secret, unixSeconds + "."));
  }

  private byte[] hmac(String secret, String prefix) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
      mac.update(prefix.getBytes(UTF_8));
      return mac.doFinal(body.getBytes());
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
