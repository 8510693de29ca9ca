package io.egress.webhook.delivery;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.egress.platform.kafka.NewerRecordException;
import io.egress.webhook.delivery.Delivery.Origin;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of deliveries in records, parsed and written token by token: each delivery is written
 * and read at least once, and a tree would cost more than its content.
 */
final class DeliveryJson {
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final int USUAL_BYTES = 320;

  /** The service never writes more, and arithmetic on larger values would overflow. */
  private static final int ATTEMPT_MAX = Short.MAX_VALUE;

  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  private DeliveryJson() {}

  static Buffer encode(Delivery delivery) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(USUAL_BYTES);
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("delivery_id", delivery.id().toString());
      json.writeStringField("endpoint_id", delivery.endpointId().toString());
      if (!delivery.isPage()) {
        json.writeStringField("capture_id", delivery.captureId().toString());
      }
      json.writeNumberField("position", delivery.position());
      if (delivery.replayId() != null) {
        json.writeStringField("replay_id", delivery.replayId().toString());
      }
      json.writeStringField("origin", delivery.origin().word());
      json.writeStringField("owed_at", delivery.owedAt().toString());
      json.writeNumberField("attempt", delivery.attempt());
      json.writeStringField("due_at", delivery.dueAt().toString());
      if (delivery.notBefore() != null) {
        json.writeStringField("not_before", delivery.notBefore().toString());
      }
      json.writeEndObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return Buffer.buffer(bytes.toByteArray());
  }

  static Delivery decode(byte[] value) {
    Fields fields = new Fields();
    try (JsonParser json = FACTORY.createParser(value)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("not an object");
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        fields.take(name, json);
      }
    } catch (IOException malformed) {
      throw new IllegalArgumentException("not JSON", malformed);
    }
    return fields.delivery();
  }

  private static final class Fields {
    private @Nullable UUID id;
    private @Nullable UUID endpointId;
    private @Nullable UUID captureId;
    private @Nullable UUID replayId;
    private @Nullable Origin origin;
    private @Nullable String owedAtText;
    private @Nullable Instant owedAt;
    private @Nullable Instant dueAt;
    private @Nullable Instant notBefore;
    private long position;
    private int attempt;

    /** Skips fields added by a later release. */
    private void take(String name, JsonParser json) throws IOException {
      switch (name) {
        case "delivery_id" -> id = UUID.fromString(json.getText());
        case "endpoint_id" -> endpointId = UUID.fromString(json.getText());
        case "capture_id" -> captureId = UUID.fromString(json.getText());
        case "position" -> position = json.getLongValue();
        case "replay_id" -> replayId = UUID.fromString(json.getText());
        case "origin" -> origin = origin(json.getText());
        case "owed_at" -> {
          owedAtText = json.getText();
          owedAt = Instant.parse(owedAtText);
        }
        case "attempt" -> attempt = json.getIntValue();
        case "due_at" -> dueAt = dueAt(json.getText());
        case "not_before" -> notBefore = Instant.parse(json.getText());
        case NewerRecordException.FIELD -> NewerRecordException.check(json.getIntValue());
        default -> json.skipChildren();
      }
    }

    /** The first attempt is due when the delivery is owed, which saves parsing a second instant. */
    private @Nullable Instant dueAt(String text) {
      return text.equals(owedAtText) ? owedAt : Instant.parse(text);
    }

    private static Origin origin(String word) {
      return Origin.find(word)
          .orElseThrow(() -> new NewerRecordException("a delivery of the origin " + word));
    }

    private Delivery delivery() {
      if (attempt > ATTEMPT_MAX) {
        throw new IllegalArgumentException("attempt is above " + ATTEMPT_MAX + ": " + attempt);
      }
      Origin known = present(origin);
      return new Delivery(
          present(id),
          present(endpointId),
          known.isPage() ? Delivery.NO_CAPTURE : present(captureId),
          position,
          replayId,
          known,
          inRange(present(owedAt)),
          attempt,
          inRange(present(dueAt)),
          notBefore == null ? null : inRange(notBefore),
          null);
    }

    private static Instant inRange(Instant instant) {
      if (instant.isBefore(Instant.EPOCH) || instant.isAfter(LATEST)) {
        throw new IllegalArgumentException("an instant is out of range: " + instant);
      }
      return instant;
    }

    private static <T> T present(@Nullable T field) {
      if (field == null) {
        throw new IllegalArgumentException("a field is missing");
      }
      return field;
    }
  }
}
