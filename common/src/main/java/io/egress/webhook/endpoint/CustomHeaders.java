package io.egress.webhook.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The headers of webhooks to an endpoint besides the service's own, keyed by lower-case name.
 * Values may be credentials: they are encrypted at rest like signing secrets, and never shown.
 */
public record CustomHeaders(SortedMap<String, String> values) {
  public static final CustomHeaders NONE = new CustomHeaders(new TreeMap<>());

  private static final int COUNT_MAX = 16;
  private static final int CHARACTERS_MAX = 8_192;
  private static final int VALUE_CHARACTERS_MAX = 4_096;
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9a-z-]{1,64}");
  private static final Pattern VALUE =
      Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?");
  private static final String OURS = "x-service-";

  /**
   * Reserved: the service's own headers, and those that concern the connection or frame the
   * message.
   */
  private static final Set<String> RESERVED =
      Set.of(
          "connection",
          "content-encoding",
          "content-length",
          "content-type",
          "expect",
          "host",
          "http2-settings",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "user-agent",
          "webhook-id",
          "webhook-signature",
          "webhook-timestamp");

  /**
   * Headers as stored.
   *
   * @param sealed null if there are none
   */
  public record SealedHeaders(@Nullable Buffer sealed, List<String> names) {
    public static final SealedHeaders NONE = new SealedHeaders(null, List.of());

    public SealedHeaders {
      names = List.copyOf(names);
    }
  }

  public CustomHeaders {
    values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
  }

  public static String canonical(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** Null if the name, in any case, is allowed. */
  public static @Nullable String problemOfName(String name) {
    String canonical = canonical(name);
    if (!NAME.matcher(canonical).matches()) {
      return "is not a name of a header, of 1 to 64 characters";
    }
    return RESERVED.contains(canonical) || canonical.startsWith(OURS)
        ? "is a header that cannot be set"
        : null;
  }

  public static @Nullable String problemOfValue(String value) {
    if (value.length() > VALUE_CHARACTERS_MAX) {
      return "must have at most " + VALUE_CHARACTERS_MAX + " characters";
    }
    return VALUE.matcher(value).matches()
        ? null
        : "must be visible ASCII characters, with spaces only between them";
  }

  /** Null unless they are too many or too large. */
  public @Nullable String problem() {
    if (values.size() > COUNT_MAX) {
      return "must be at most " + COUNT_MAX + ", not " + values.size();
    }
    int characters =
        values.entrySet().stream()
            .mapToInt(header -> header.getKey().length() + header.getValue().length())
            .sum();
    return characters > CHARACTERS_MAX
        ? "must have at most " + CHARACTERS_MAX + " characters in all"
        : null;
  }

  /** An empty value removes its header; headers that are not named are unchanged. */
  public CustomHeaders with(Map<String, Optional<String>> changes) {
    SortedMap<String, String> changed = new TreeMap<>(values);
    changes.forEach((name, value) ->
        value.ifPresentOrElse(given -> changed.put(name, given), () -> changed.remove(name)));
    return new CustomHeaders(changed);
  }

  public SealedHeaders seal(SecretBox box, UUID endpointId) {
    if (values.isEmpty()) {
      return SealedHeaders.NONE;
    }
    JsonObject json = new JsonObject();
    values.forEach(json::put);
    return new SealedHeaders(
        Buffer.buffer(box.seal(json.encode(), sealId(endpointId))), List.copyOf(values.keySet()));
  }

  /** Throws the exceptions of {@link SecretBox#open}. */
  public static CustomHeaders open(@Nullable Buffer sealed, SecretBox box, UUID endpointId) {
    if (sealed == null) {
      return NONE;
    }
    SortedMap<String, String> values = new TreeMap<>();
    try {
      new JsonObject(box.open(sealed.getBytes(), sealId(endpointId)))
          .forEach(header -> values.put(header.getKey(), (String) header.getValue()));
    } catch (DamagedSecretException damaged) {
      throw new DamagedSecretException(
          "the headers of endpoint " + endpointId + " cannot be decrypted: altered or misplaced");
    }
    return new CustomHeaders(values);
  }

  /**
   * Differs from the endpoint's id, so that sealed headers cannot be swapped with its sealed
   * secret.
   */
  private static UUID sealId(UUID endpointId) {
    return UUID.nameUUIDFromBytes((endpointId + "/headers").getBytes(UTF_8));
  }

  /** Values are never printed. */
  @Override
  public String toString() {
    return "CustomHeaders" + values.keySet();
  }
}
