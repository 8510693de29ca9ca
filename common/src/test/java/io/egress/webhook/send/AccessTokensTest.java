package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.url;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.OAuth2Client;
import io.egress.webhook.send.Outcome.Aborted;
import io.egress.webhook.send.Outcome.Authorized;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With an authorization server that answers what a test wants. */
class AccessTokensTest {
  private static final String SECRET = "s3cret of: the/client";

  private SenderHarness harness = new SenderHarness();
  private final Queue<String> authorizations = new ConcurrentLinkedQueue<>();
  private final Queue<String> forms = new ConcurrentLinkedQueue<>();
  private final Queue<MultiMap> received = new ConcurrentLinkedQueue<>();
  private final AtomicInteger requests = new AtomicInteger();

  @AfterEach
  void close() {
    harness.close();
  }

  @Test
  void webhooksCarryATokenThatIsKept() {
    int receiver = receiver(200, "token-1");
    AccessTokens tokens = tokens(server(issuing(3600)), "read write", "https://api.example");

    for (int i = 0; i < 3; i++) {
      assertThat(send(receiver, tokens)).isInstanceOf(Delivered.class);
    }

    assertThat(received)
        .hasSize(3)
        .allSatisfy(headers -> {
          assertThat(headers.get("authorization")).isEqualTo("Bearer token-1");
          assertThat(headers.get("x-service-signature")).startsWith("t=");
        });
    assertThat(forms)
        .containsExactly(
            "grant_type=client_credentials&scope=read+write&audience=https%3A%2F%2Fapi.example");
    assertThat(
            new String(
                Base64.getDecoder().decode(authorizations.remove().substring(6)),
                StandardCharsets.UTF_8))
        .isEqualTo("an+id:s3cret+of%3A+the%2Fclient");
  }

  @Test
  void theTokenIsNotShown() {
    int receiver = receiver(200, "token-1");

    Delivered delivered = (Delivered) send(receiver, tokens(server(issuing(3600))));

    SentRequest sent = delivered.exchanged().request();
    assertThat(sent).isNotNull();
    assertThat(sent.headers()).contains("authorization").doesNotContain("token-1");
  }

  @Test
  void allWhoWaitForATokenShareOneRequest() {
    Queue<HttpServerResponse> held = new ConcurrentLinkedQueue<>();
    int receiver = receiver(200, "token-1");
    AccessTokens tokens = tokens(server(request -> held.add(request.response())));
    List<Sending> sendings = new ArrayList<>();

    for (int i = 0; i < 20; i++) {
      sendings.add(start(receiver, tokens));
    }
    await().until(() -> held.size() == 1);
    held.remove().end(token("token-1", 3600));

    assertThat(sendings)
        .allSatisfy(sending ->
            assertThat(outcomeOf(sending, receiver, tokens)).isInstanceOf(Delivered.class));
    assertThat(held).isEmpty();
    assertThat(requests).hasValue(1);
  }

  @ParameterizedTest
  @CsvSource({"0, 3", "-5, 3", "3600, 1", ", 1"})
  void anExpiredTokenIsReplaced(@Nullable Integer expiresIn, int expected) {
    int receiver = receiver(200, null);
    AccessTokens tokens = tokens(server(issuing(expiresIn)));

    for (int i = 0; i < 3; i++) {
      assertThat(send(receiver, tokens)).isInstanceOf(Delivered.class);
    }

    assertThat(requests).hasValue(expected);
  }

  @Test
  void aTokenThatTheReceiverRejectsIsReplacedOnce() {
    int receiver = receiver(200, "token-2");
    AccessTokens tokens = tokens(server(issuing(3600)));

    assertThat(send(receiver, tokens)).isInstanceOf(Delivered.class);

    assertThat(received)
        .extracting(headers -> headers.get("authorization"))
        .containsExactly("Bearer token-1", "Bearer token-2");
    assertThat(send(receiver, tokens)).isInstanceOf(Delivered.class);
    assertThat(requests).hasValue(2);
  }

  /** A document that was prepared before may have been erased while the token was awaited. */
  @Test
  void nothingIsSentBeforeItIsPreparedAgain() {
    int receiver = receiver(200, "token-2");
    AccessTokens tokens = tokens(server(issuing(3600)));

    Authorized first = (Authorized) await(start(receiver, tokens).outcome());
    assertThat(received).isEmpty();
    Authorized second = (Authorized) await(start(receiver, tokens, first).outcome());

    assertThat(second.rejected()).isNotNull();
    assertThat(second.duration()).isGreaterThan(first.duration());
    assertThat(received).hasSize(1);
    Delivered delivered = (Delivered) await(start(receiver, tokens, second).outcome());
    assertThat(requireNonNull(delivered.exchanged().request()).times()).isEqualTo(2);
  }

  @Test
  void anotherClientsTokenIsNotSent() {
    int receiver = receiver(200, null);
    Authorized before =
        (Authorized) await(start(receiver, tokens(server(issuing(3600)))).outcome());

    AccessTokens tokens = tokens(server(issuing(3600)));
    Authorized after = (Authorized) await(start(receiver, tokens, before).outcome());

    assertThat(after.token()).isNotEqualTo(before.token());
    assertThat(received).isEmpty();
  }

  @Test
  void aReceiverThatRejectsEveryTokenHasAnswered401() {
    int receiver = receiver(200, "none");

    Failed failed = (Failed) send(receiver, tokens(server(issuing(3600))));

    assertThat(failed.kind()).isEqualTo(FailureKind.STATUS);
    assertThat(failed.status()).isEqualTo(401);
    assertThat(requireNonNull(failed.exchanged().request()).times()).isEqualTo(2);
    assertThat(received).hasSize(2);
    assertThat(requests).hasValue(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | {\"error\":\"invalid_client\"} | the token server: answered 400: invalid_client",
        "401 | no | the token server: answered 401",
        "302 | moved | the token server: answered 302",
        "500 | [] | the token server: answered 500",
        "200 | no JSON | the token server answered 200 without JSON",
        "200 | [] | the token server answered 200 without JSON",
        "200 | {} | the token server answered without an access_token",
        "200 | {\"access_token\":5} | the token server answered without an access_token",
        "200 | {\"access_token\":\"a\",\"token_type\":\"mac\"} | that is not a bearer token: mac",
        "200 | {\"access_token\":\"a\\r\\nx: y\"} | a token that no header can have"
      })
  void aTokenServerThatFailsIsAnOutcomeOfItsOwn(int status, String body, String detail) {
    int receiver = receiver(200, null);

    Failed failed =
        (Failed)
            send(
                receiver,
                tokens(server(request -> request.response().setStatusCode(status).end(body))));

    assertThat(failed.kind()).isEqualTo(FailureKind.TOKEN);
    assertThat(failed.status()).isNull();
    assertThat(failed.detail()).contains(detail);
    assertThat(failed.answerStart().toString()).isEqualTo(status == 200 ? "" : body);
    assertThat(failed.exchanged().request()).isNull();
    assertThat(received).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        SECRET,
        "s3cret+of%3A+the%2Fclient",
        "s3cret%20of%3a%20the%2fclient",
        "s3cret of: the\\/client",
        "YW4raWQ6czNjcmV0K29mJTNBK3RoZSUyRmNsaWVudA=="
      })
  void anAnswerIsShownWithoutTheSecret(String echo) {
    int receiver = receiver(200, null);
    String answer = "{\"error\":\"you sent " + echo + "\"}";

    Failed failed =
        (Failed)
            send(
                receiver,
                tokens(
                    server(request ->
                        request
                            .response()
                            .setStatusCode(400)
                            .putHeader("x-echo", echo)
                            .end(answer))));

    assertThat(failed.answerStart().toString())
        .startsWith("{\"error\":\"you sent (withheld)")
        .doesNotContain("client", "czNjcmV0");
    assertThat(failed.detail()).contains("answered 400: you sent (withheld)");
    assertThat(failed.exchanged().answerHeaders())
        .contains("x-echo: (withheld)")
        .doesNotContain("client", "czNjcmV0");
  }

  @Test
  void theRulesForAddressesHoldForTokenServers() {
    int receiver = receiver(200, null);
    harness.names.put("inner.test", SenderHarness.addresses("10.1.2.3"));

    Failed failed = (Failed) send(receiver, tokens("https://inner.test/token", null, null));

    assertThat(failed.kind()).isEqualTo(FailureKind.TOKEN);
    assertThat(failed.detail()).contains("inner.test: 10.1.2.3");
    Failed plain =
        (Failed)
            send(
                receiver,
                new AccessTokens(
                    harness.endpointId,
                    new OAuth2Client("http://receiver.test/token", "id", SECRET, null, null),
                    false,
                    null,
                    Redaction.NONE));
    assertThat(plain.detail()).contains("the scheme must be https");
  }

  @Test
  void aTokenServerThatHangsUsesUpTheDeadlineOfItsEndpointOnly() {
    harness.close();
    harness = SenderHarness.impatient();
    AtomicInteger hanging = new AtomicInteger();
    int receiver = receiver(200, null);
    Sending sending = start(receiver, tokens(server(_ -> hanging.incrementAndGet())));

    await().until(() -> hanging.get() == 1);
    int other = harness.httpsReceiver(false, request -> request.response().end());
    Sending ofOther = harness.start(harness.sender, UUID.randomUUID(), url(other), envelope("x"));
    assertThat(await(ofOther.outcome())).isInstanceOf(Delivered.class);

    Failed failed = (Failed) await(sending.outcome());
    assertThat(failed.kind()).isEqualTo(FailureKind.TOKEN);
    assertThat(failed.detail()).contains("the token server: no status line within 1500 ms");
    assertThat(received).isEmpty();
  }

  /** A token that takes long leaves less time for the webhook. */
  @Test
  void tokenAndWebhookHaveOneDeadline() {
    harness.close();
    harness = SenderHarness.impatient();
    int receiver = harness.httpsReceiver(false, _ -> {});

    Duration held = SenderHarness.SHORT_TIMEOUT.minusMillis(100);

    Failed failed =
        (Failed)
            send(
                receiver,
                tokens(
                    server(request ->
                        harness.vertx.setTimer(
                            held.toMillis(),
                            _ -> request.response().end(token("token-1", 3600))))));

    assertThat(failed.kind()).isIn(FailureKind.TIMEOUT, FailureKind.TOKEN);
    assertThat(failed.duration()).isLessThan(held.plus(SenderHarness.SHORT_TIMEOUT));
  }

  @Test
  void anAbortWhileATokenIsAwaitedLeavesTheRequestToOthers() {
    Queue<HttpServerResponse> held = new ConcurrentLinkedQueue<>();
    int receiver = receiver(200, "token-1");
    AccessTokens tokens = tokens(server(request -> held.add(request.response())));
    Sending aborted = start(receiver, tokens);
    Sending other = start(receiver, tokens);
    await().until(() -> held.size() == 1);

    aborted.abort("shutting down");

    assertThat(await(aborted.outcome())).isInstanceOf(Aborted.class);
    held.remove().end(token("token-1", 3600));
    assertThat(outcomeOf(other, receiver, tokens)).isInstanceOf(Delivered.class);
    assertThat(received).hasSize(1);
  }

  @Test
  void closingTheSenderAbortsThoseWhoWait() {
    int receiver = receiver(200, null);
    AtomicInteger hanging = new AtomicInteger();
    Sending sending = start(receiver, tokens(server(_ -> hanging.incrementAndGet())));
    await().until(() -> hanging.get() == 1);

    await(harness.sender.close());

    assertThat(await(sending.outcome())).isInstanceOf(Aborted.class);
  }

  /** Accepts only {@code accepted}, or any token if that is null. */
  private int receiver(int status, @Nullable String accepted) {
    return harness.httpsReceiver(
        false,
        request -> {
          received.add(request.headers());
          String given = request.getHeader("authorization");
          boolean isAccepted = accepted == null || ("Bearer " + accepted).equals(given);
          request.response().setStatusCode(isAccepted ? status : 401).end();
        });
  }

  private int server(Handler<HttpServerRequest> answer) {
    return harness.httpsReceiver(
        false,
        request -> {
          requests.incrementAndGet();
          authorizations.add(request.getHeader("authorization"));
          request
              .body()
              .onSuccess(form -> {
                forms.add(form.toString());
                answer.handle(request);
              });
        });
  }

  /** Each token is another one. */
  private Handler<HttpServerRequest> issuing(@Nullable Integer expiresIn) {
    return request -> request.response().end(token("token-" + requests.get(), expiresIn));
  }

  private static String token(String token, @Nullable Integer expiresIn) {
    JsonObject json = new JsonObject().put("access_token", token).put("token_type", "Bearer");
    return (expiresIn == null ? json : json.put("expires_in", expiresIn)).encode();
  }

  private AccessTokens tokens(int port) {
    return tokens(port, null, null);
  }

  private AccessTokens tokens(int port, @Nullable String scope, @Nullable String audience) {
    return tokens("https://" + SenderHarness.NAME + ":" + port + "/token", scope, audience);
  }

  private AccessTokens tokens(String url, @Nullable String scope, @Nullable String audience) {
    OAuth2Client client = new OAuth2Client(url, "an id", SECRET, scope, audience);
    return new AccessTokens(
        harness.endpointId,
        client,
        true,
        null,
        Redaction.of(List.of(), CustomHeaders.NONE, client));
  }

  private Outcome send(int receiver, AccessTokens tokens) {
    return outcomeOf(start(receiver, tokens), receiver, tokens);
  }

  /** Of a caller that prepares again whenever it is asked to. */
  private Outcome outcomeOf(Sending sending, int receiver, AccessTokens tokens) {
    return await(sending.outcome()) instanceof Authorized authorized
        ? outcomeOf(start(receiver, tokens, authorized), receiver, tokens)
        : await(sending.outcome());
  }

  private Sending start(int receiver, AccessTokens tokens) {
    return start(receiver, tokens, null);
  }

  private Sending start(int receiver, AccessTokens tokens, @Nullable Authorized authorized) {
    SendRequest request =
        new SendRequest(
            harness.endpointId,
            url(receiver),
            envelope("x"),
            new WebhookSignature(List.of(SenderHarness.SECRET)),
            Instant.now().getEpochSecond());
    return harness.sender.send(request, tokens, authorized);
  }
}
