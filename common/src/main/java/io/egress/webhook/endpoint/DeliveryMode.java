package io.egress.webhook.endpoint;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What an endpoint's webhooks carry; it never changes. */
public enum DeliveryMode {
  /** A capture each. */
  EACH,
  /** The stream itself, page after page. */
  STREAM;

  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<DeliveryMode> find(String word) {
    return Arrays.stream(values()).filter(mode -> mode.word().equals(word)).findFirst();
  }

  public static List<String> words() {
    return Arrays.stream(values()).map(DeliveryMode::word).toList();
  }
}
