package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Comparator.comparingInt;

import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.OAuth2Client;
import io.egress.webhook.endpoint.SigningSecrets;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Removes an endpoint's secrets from what its servers answer: as they are, encoded for a URL or in
 * JSON, and credentials in Base64. No such encoding changes letters and digits, so a text without
 * the longest run of them in a secret does not have the secret.
 */
final class Redaction {
  static final Redaction NONE = new Redaction(List.of());
  static final String MARK = "(withheld)";

  /** Shorter ones are parts of ordinary words. */
  private static final int CHARACTERS_MIN = 6;

  private static final int CHARACTERS_PER_BYTE_MAX = "\\u0026".length();
  private static final Pattern UNCHANGED = Pattern.compile("[A-Za-z0-9]+");
  private static final Pattern WITH_SCHEME = Pattern.compile("[A-Za-z]+ (\\S+)");
  private static final Pattern PADDING = Pattern.compile("=+$");

  private record Secret(String text, String probe) {
    static Secret of(String text) {
      String probe =
          UNCHANGED
              .matcher(text)
              .results()
              .map(MatchResult::group)
              .max(comparingInt(String::length))
              .orElse("");
      return new Secret(text, probe);
    }

    Pattern inAnyEncoding() {
      StringBuilder pattern = new StringBuilder();
      text.codePoints().forEach(each -> append(pattern, Character.toString(each)));
      return Pattern.compile(pattern.toString());
    }

    private static void append(StringBuilder pattern, String character) {
      if (UNCHANGED.matcher(character).matches()) {
        pattern.append(character);
        return;
      }
      byte[] bytes = character.getBytes(UTF_8);
      pattern.append("(?:\\\\?").append(Pattern.quote(character));
      pattern.append("|").append(Pattern.quote(new String(bytes, ISO_8859_1))).append("|(?i:");
      for (byte each : bytes) {
        pattern.append("%%%02x".formatted(each));
      }
      pattern.append("|");
      character.chars().forEach(each -> pattern.append("\\\\u%04x".formatted(each)));
      pattern.append(character.equals(" ") ? ")|\\+)" : "))");
    }

    int charactersMax() {
      return text.getBytes(UTF_8).length * CHARACTERS_PER_BYTE_MAX;
    }

    /** Secrets are never printed. */
    @Override
    public String toString() {
      return "Secret[withheld]";
    }
  }

  private final List<Secret> secrets;

  private Redaction(List<Secret> secrets) {
    this.secrets = secrets;
  }

  static Redaction of(
      List<String> signingSecrets, CustomHeaders headers, @Nullable OAuth2Client client) {
    List<String> found = new ArrayList<>();
    for (String secret : signingSecrets) {
      found.add(SigningSecrets.withoutPrefix(secret));
      found.add(SigningSecrets.withoutPrefix(SigningSecrets.inStandardForm(secret)));
    }
    for (String value : headers.values().values()) {
      found.add(value);
      Matcher scheme = WITH_SCHEME.matcher(value);
      if (scheme.matches()) {
        found.add(scheme.group(1));
      }
    }
    if (client != null) {
      String pair = client.clientId() + ":" + client.clientSecret();
      found.add(client.clientSecret());
      found.add(TokenRequest.credentials(client));
      found.add(Base64.getEncoder().encodeToString(pair.getBytes(UTF_8)));
    }
    return new Redaction(secrets(found.stream()));
  }

  Redaction with(String secret) {
    return new Redaction(
        secrets(Stream.concat(secrets.stream().map(Secret::text), Stream.of(secret))));
  }

  /** The longest first: a secret may be a part of another. */
  private static List<Secret> secrets(Stream<String> texts) {
    return texts
        .map(text -> PADDING.matcher(text).replaceFirst(""))
        .filter(text -> text.length() >= CHARACTERS_MIN)
        .distinct()
        .map(Secret::of)
        .sorted(comparingInt(Secret::charactersMax).reversed())
        .toList();
  }

  /** The text without secrets, which must not be cut off before. */
  String in(String text) {
    String redacted = text;
    for (Secret secret : secrets) {
      if (redacted.contains(secret.probe())) {
        redacted = secret.inAnyEncoding().matcher(redacted).replaceAll(MARK);
      }
    }
    return redacted;
  }

  /**
   * The start of a body without secrets. {@code bytes} are the body, or {@link #charactersMax} more
   * than {@code bytesMax} of it: a secret that begins in the start is removed as a whole.
   */
  Buffer start(Buffer bytes, int bytesMax) {
    Buffer shown = bytes;
    if (!secrets.isEmpty() && bytes.length() > 0) {
      String text = bytes.toString(ISO_8859_1);
      String redacted = in(text);
      shown = redacted.equals(text) ? bytes : Buffer.buffer(redacted.getBytes(ISO_8859_1));
    }
    return shown.length() <= bytesMax ? shown : shown.getBuffer(0, bytesMax);
  }

  /** The most characters that a secret has in any encoding. */
  int charactersMax() {
    return secrets.isEmpty() ? 0 : secrets.get(0).charactersMax();
  }

  /** Secrets are never printed. */
  @Override
  public String toString() {
    return "Redaction[" + secrets.size() + " secrets]";
  }
}
