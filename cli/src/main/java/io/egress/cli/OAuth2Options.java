package io.egress.cli;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The client that gets access tokens for an endpoint's webhooks. */
final class OAuth2Options {
  private static final String FIELD = "oauth2";

  @Option(
      names = "--oauth2-token-url",
      paramLabel = "URL",
      description =
          "webhooks carry an access token from here, which the service gets by client credentials")
  private @Nullable String tokenUrl;

  @Option(names = "--oauth2-client-id", paramLabel = "ID", description = "the client's id")
  private @Nullable String clientId;

  @Option(
      names = "--oauth2-client-secret",
      paramLabel = "SECRET",
      description = "the client's secret, which is not shown again; " + SecretText.FORMS)
  private @Nullable SecretText clientSecret;

  @Option(
      names = "--oauth2-scope",
      paramLabel = "SCOPE",
      description = "what the tokens are for, if the server has to know")
  private @Nullable String scope;

  @Option(
      names = "--oauth2-audience",
      paramLabel = "AUDIENCE",
      description = "whom the tokens are for, if the server has to know")
  private @Nullable String audience;

  @Option(names = "--no-oauth2", description = "no access tokens")
  private boolean none;

  /** Adds what was given. */
  void putInto(JsonObject endpoint) {
    boolean isGiven =
        tokenUrl != null
            || clientId != null
            || clientSecret != null
            || scope != null
            || audience != null;
    if (none && !isGiven) {
      endpoint.putNull(FIELD);
    } else if (tokenUrl != null && clientId != null && clientSecret != null && !none) {
      endpoint.put(
          FIELD,
          new JsonObject()
              .put("token_url", tokenUrl)
              .put("client_id", clientId)
              .put("client_secret", clientSecret.value())
              .put("scope", scope)
              .put("audience", audience));
    } else if (isGiven) {
      throw new UsageException(
          "--oauth2-token-url, --oauth2-client-id and --oauth2-client-secret go together");
    }
  }
}
