package io.egress.webhook.endpoint;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.List;

/** How webhooks are signed by Standard Webhooks, beside the service's own signature. */
public enum StandardWebhooks {
  OFF,
  /** With the secrets of the endpoint ({@code v1}). */
  HMAC,
  /** With the key pairs of the endpoint ({@code v1a}). */
  ED25519;

  /** As bodies have it: false, true or a word. */
  @JsonValue
  public Object value() {
    return switch (this) {
      case OFF -> false;
      case HMAC -> true;
      case ED25519 -> "ed25519";
    };
  }

  /** Throws {@link IllegalArgumentException} for any other value. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static StandardWebhooks of(Object value) {
    return Arrays.stream(values())
        .filter(each -> each.value().equals(value))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("not a kind of signature: " + value));
  }

  /** The values that are not true or false. */
  public static List<String> words() {
    return Arrays.stream(values())
        .map(StandardWebhooks::value)
        .filter(String.class::isInstance)
        .map(String.class::cast)
        .toList();
  }
}
