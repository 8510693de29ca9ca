package io.egress.webhook.endpoint;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What the data of an endpoint's webhooks is. */
public enum Payload {
  DOCUMENT,
  /** Where the document is: the receiver reads it with a key of the workspace. */
  REFERENCE;

  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<Payload> find(String word) {
    return Arrays.stream(values()).filter(payload -> payload.word().equals(word)).findFirst();
  }

  public static List<String> words() {
    return Arrays.stream(values()).map(Payload::word).toList();
  }
}
