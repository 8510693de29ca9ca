package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.OAuth2Client;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
  private static final String SECRET = "s3cret of: \"the\"/client\\é&";

  private final Redaction redaction =
      Redaction.of(
          List.of("whsec_4vQ8rkzz"),
          CustomHeaders.NONE.with(
              Map.of(
                  "authorization", Optional.of("Bearer a-custom-token"),
                  "x-api-key", Optional.of("key-123"),
                  "x-short", Optional.of("on"))),
          new OAuth2Client("https://login.example/token", "an id", SECRET, null, null));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%s",
        "%s at the start",
        "you sent %s, and %s",
        "{\"error\":\"no %s\"}",
        "\n\n%s\n\n"
      })
  void removesASecretHoweverItIsEncoded(String around) {
    String url = URLEncoder.encode(SECRET, UTF_8);
    List<String> forms =
        List.of(
            SECRET,
            url,
            url.toLowerCase(Locale.ROOT),
            url.replace("+", "%20"),
            inJson(SECRET),
            inJson(SECRET).replace("/", "\\/").replace("é", "\\u00e9"),
            inJson(SECRET).replace("&", "\\u0026").replace("é", "\\u00E9"));
    for (String form : forms) {
      String text = around.replace("%s", form);
      String redacted = around.replace("%s", Redaction.MARK);
      assertThat(redaction.in(text)).as(text).isEqualTo(redacted);
      assertThat(redaction.start(Buffer.buffer(text), 1_000).toString()).isEqualTo(redacted);
    }
  }

  @Test
  void removesCredentialsAndHeadersAndSigningSecrets() {
    String encoded = URLEncoder.encode("an id", UTF_8) + ":" + URLEncoder.encode(SECRET, UTF_8);
    for (String pair : List.of(encoded, "an id:" + SECRET)) {
      String credentials = Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
      assertThat(redaction.in("authorization: Basic " + credentials))
          .startsWith("authorization: Basic " + Redaction.MARK);
    }
    assertThat(redaction.in("authorization: Bearer a-custom-token; x-api-key: key-123"))
        .isEqualTo("authorization: (withheld); x-api-key: (withheld)");
    assertThat(redaction.in("unknown token a-custom-token")).isEqualTo("unknown token (withheld)");
    assertThat(redaction.in("by whsec_4vQ8rkzz, or 4vQ8rkzz"))
        .isEqualTo("by whsec_(withheld), or (withheld)");
    String standard = Base64.getEncoder().encodeToString("whsec_4vQ8rkzz".getBytes(UTF_8));
    assertThat(redaction.in(standard)).startsWith(Redaction.MARK);
  }

  @Test
  void leavesEverythingElse() {
    String text = "the client is on: Bearer tokens, an id, key-12";
    Buffer bytes = Buffer.buffer(new byte[] {0, -1, -128, 'a'});

    assertThat(redaction.in(text)).isEqualTo(text);
    assertThat(redaction.start(bytes, 100)).isEqualTo(bytes);
    assertThat(Redaction.NONE.in(SECRET)).isEqualTo(SECRET);
  }

  /** What is cut off must not leave half of a secret. */
  @Test
  void removesASecretThatBeginsBeforeTheEnd() {
    String text = "x".repeat(95) + SECRET + "y".repeat(redaction.charactersMax());

    Buffer start =
        redaction.start(Buffer.buffer(text).getBuffer(0, 100 + redaction.charactersMax()), 100);

    assertThat(start).hasToString("x".repeat(95) + "(with");
  }

  private static String inJson(String text) {
    String encoded = new JsonObject().put("a", text).encode();
    return encoded.substring(6, encoded.length() - 2);
  }
}
