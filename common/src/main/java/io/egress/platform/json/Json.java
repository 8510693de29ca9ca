package io.egress.platform.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import io.egress.platform.environment.Durations;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;

/**
 * Records as JSON: components in snake case, in their order, null included; instants as {@link
 * UtcInstant} writes them, durations as {@link Durations} does.
 */
public final class Json {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
          .addModule(forms())
          .build();

  private interface Form<T> {
    void write(T value, JsonGenerator json) throws IOException;
  }

  private Json() {}

  public static Buffer encode(Object value) {
    try {
      return Buffer.buffer(MAPPER.writeValueAsBytes(value));
    } catch (JsonProcessingException unwritable) {
      throw new IllegalArgumentException(unwritable);
    }
  }

  public static <T> T decode(String text, Class<T> type) {
    try {
      return MAPPER.readValue(text, type);
    } catch (JsonProcessingException unreadable) {
      throw new IllegalArgumentException(unreadable);
    }
  }

  /** The value as a column of type {@code jsonb} takes it. */
  public static JsonObject object(Object value) {
    return new JsonObject(encode(value));
  }

  public static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  private static SimpleModule forms() {
    SimpleModule forms = new SimpleModule();
    write(forms, Instant.class, (value, json) -> json.writeString(UtcInstant.format(value)));
    write(forms, LocalDate.class, (value, json) -> json.writeString(value.toString()));
    write(forms, Duration.class, (value, json) -> json.writeString(Durations.format(value)));
    write(forms, JsonObject.class, (value, json) -> json.writePOJO(value.getMap()));
    write(forms, JsonArray.class, (value, json) -> json.writePOJO(value.getList()));
    forms.addDeserializer(
        Instant.class,
        new StdDeserializer<Instant>(Instant.class) {
          private static final long serialVersionUID = 1L;

          @Override
          public Instant deserialize(JsonParser json, DeserializationContext unused)
              throws IOException {
            return Instant.parse(json.getText());
          }
        });
    return forms;
  }

  private static <T> void write(SimpleModule forms, Class<T> type, Form<T> form) {
    forms.addSerializer(
        type,
        new StdSerializer<T>(type) {
          private static final long serialVersionUID = 1L;

          @Override
          public void serialize(T value, JsonGenerator json, SerializerProvider unused)
              throws IOException {
            form.write(value, json);
          }
        });
  }
}
