package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.endpoint.OAuth2Client;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import java.net.URLEncoder;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A request for an access token (RFC 6749, sections 2.3.1 and 4.4.2). */
record TokenRequest(
    UUID id,
    UUID endpointId,
    EndpointUrl url,
    OAuth2Client client,
    @Nullable ClientCertificate certificate,
    Redaction redaction)
    implements Outgoing {
  /** Tokens with many claims have several KB. */
  private static final int ANSWER_BYTES_MAX = 32_768;

  @Override
  public int answerBytesMax() {
    return ANSWER_BYTES_MAX;
  }

  /** {@link TokenAnswer} reads the token in it, and keeps what has no secret. */
  @Override
  public Buffer kept(Buffer answerStart) {
    return answerStart;
  }

  @Override
  public BodyBuffers.Body body(BodyBuffers bodies) {
    StringBuilder form = new StringBuilder("grant_type=client_credentials");
    if (client.scope() != null) {
      form.append("&scope=").append(encoded(client.scope()));
    }
    if (client.audience() != null) {
      form.append("&audience=").append(encoded(client.audience()));
    }
    return bodies.of(Buffer.buffer(form.toString()));
  }

  @Override
  public @Nullable SentRequest putHeaders(HttpClientRequest opened) {
    opened
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/x-www-form-urlencoded")
        .putHeader(HttpHeaders.ACCEPT, "application/json")
        .putHeader(HttpHeaders.USER_AGENT, UserAgent.VALUE)
        .putHeader(HttpHeaders.AUTHORIZATION, "Basic " + credentials(client));
    return null;
  }

  static String credentials(OAuth2Client client) {
    String pair = encoded(client.clientId()) + ":" + encoded(client.clientSecret());
    return Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  /** The secret is never printed. */
  @Override
  public String toString() {
    return "TokenRequest[" + url + "]";
  }
}
