package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static io.egress.acceptance.Snippets.has;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Access tokens come from a published authorization server, the npm package oidc-provider. */
@Tag("full")
class AuthorizationServerTest {
  private static final String CLIENT = "egress";
  private static final String SECRET = "a secret: with +/=~ signs";

  private static final String SERVER =
      """
      import { Provider } from "oidc-provider";
      const [port, client_id, client_secret] = process.argv.slice(2);
      const provider = new Provider(`http://127.0.0.1:${port}`, {
        clients: [{
          client_id, client_secret, grant_types: ["client_credentials"], redirect_uris: [], response_types: [],
          scope: "webhooks",
        }],
        scopes: ["webhooks"],
        ttl: { ClientCredentials: 600 },
        features: { clientCredentials: { enabled: true }, introspection: { enabled: true }, devInteractions: { enabled: false } },
      });
      provider.listen(Number(port), "127.0.0.1", () => console.log("listening"));
      """;

  private final Vertx vertx = Vertx.vertx();
  private final Queue<String> authorizations = new ConcurrentLinkedQueue<>();
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    done(vertx.close());
  }

  @Test
  void deliveriesCarryATokenOfTheServer() throws Exception {
    assumeTrue(has("node"), "node is not here");
    Path beside = NodePackages.install("oidc-provider", "9.13.3");
    Path program = Files.writeString(beside.resolve("server.mjs"), SERVER);
    int port = freePort();
    List<String> command = List.of("node", program.toString(), "" + port, CLIENT, SECRET);
    try (CommandLine server = CommandLine.start(Map.of(), command);
        BothRoles roles = new BothRoles(BothRoles.environment())) {
      server.awaitOutput("(listening)");
      String url = "http://127.0.0.1:" + port;
      create(roles, url, SECRET);
      roles.call("PUT", "/captures/" + UUID.randomUUID(), BothRoles.capture(workspace));
      roles.call("PUT", "/captures/" + UUID.randomUUID(), BothRoles.capture(workspace));
      await().until(() -> authorizations.size() == 2);

      String token = authorizations.remove();
      assertThat(token).startsWith("Bearer ").isEqualTo(authorizations.remove());
      JsonObject known = introspect(url, token.substring(7));
      assertThat(known.getBoolean("active")).isTrue();
      assertThat(known.getString("client_id")).isEqualTo(CLIENT);
      assertThat(known.getString("scope")).isEqualTo("webhooks");

      String endpoints = "/workspaces/" + workspace + "/endpoints";
      String wrong = create(roles, url, "another secret");
      JsonObject refused = roles.call("POST", endpoints + "/" + wrong + "/test", new JsonObject());
      assertThat(refused.getString("outcome")).isEqualTo("token");
      assertThat(refused.getString("detail")).contains("answered 401: invalid_client");
      assertThat(refused.getString("answer")).contains("client authentication failed");
    }
  }

  private String create(BothRoles roles, String server, String secret) {
    int receiver =
        done(vertx
                .createHttpServer()
                .requestHandler(request -> {
                  authorizations.add(String.valueOf(request.getHeader("authorization")));
                  request.response().end();
                })
                .listen(0, "127.0.0.1"))
            .actualPort();
    JsonObject client =
        new JsonObject()
            .put("token_url", server + "/token")
            .put("client_id", CLIENT)
            .put("client_secret", secret)
            .put("scope", "webhooks");
    return roles
        .call(
            "POST",
            "/workspaces/" + workspace + "/endpoints",
            new JsonObject().put("url", "http://127.0.0.1:" + receiver + "/").put("oauth2", client))
        .getString("id");
  }

  private static JsonObject introspect(String server, String token) {
    String credentials = URLEncoder.encode(CLIENT, UTF_8) + ":" + URLEncoder.encode(SECRET, UTF_8);
    return new JsonObject(
        BothRoles.send(
                HttpRequest.newBuilder(URI.create(server + "/token/introspection"))
                    .header("content-type", "application/x-www-form-urlencoded")
                    .header(
                        "authorization",
                        "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8)))
                    .POST(BodyPublishers.ofString("token=" + token)))
            .body());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
