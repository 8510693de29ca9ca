package io.egress.webhook.send;

import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.endpoint.OAuth2Client;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Gets access tokens for one endpoint. A token is kept until shortly before it expires, and all who
 * wait for one wait for the same request. Used only by the event loop that sends to the endpoint.
 */
final class AccessTokens {
  /** What a request for a token gives. */
  sealed interface Answer {
    record Token(String value) implements Answer {
      /** Tokens are never printed. */
      @Override
      public String toString() {
        return "Token[withheld]";
      }
    }

    /** The outcome of the attempts that need the token. */
    record None(Outcome outcome) implements Answer {}
  }

  private final UUID endpointId;
  private final OAuth2Client client;
  private final EndpointUrl.Parsed url;
  private final @Nullable ClientCertificate certificate;
  private final Redaction redaction;
  private Answer.@Nullable Token token;
  private long expiresNanos;
  private @Nullable Future<Answer> request;

  AccessTokens(
      UUID endpointId,
      OAuth2Client client,
      boolean allowHttp,
      @Nullable ClientCertificate certificate,
      Redaction redaction) {
    this.endpointId = endpointId;
    this.client = client;
    this.url = EndpointUrl.parse(client.tokenUrl(), allowHttp);
    this.certificate = certificate;
    this.redaction = redaction;
  }

  /** Never fails. */
  Future<Answer> get(SendingLoop loop) {
    if (token != null && System.nanoTime() - expiresNanos < 0) {
      return Future.succeededFuture(token);
    }
    if (request != null) {
      return request;
    }
    return switch (url) {
      case EndpointUrl.Parsed.Invalid(List<String> problems) ->
          Future.succeededFuture(
              new Answer.None(
                  TokenAnswer.failed(
                      "the token URL is not allowed: " + String.join("; ", problems),
                      Duration.ZERO,
                      Exchanged.NOTHING)));
      case EndpointUrl.Parsed.Valid(EndpointUrl valid) -> request(valid, loop);
    };
  }

  /** The receiver does not accept the token. */
  void reject(Answer.Token rejected) {
    if (rejected.equals(token)) {
      token = null;
    }
  }

  private Future<Answer> request(EndpointUrl valid, SendingLoop loop) {
    Promise<Answer> promise = Promise.promise();
    request = promise.future();
    loop.begin(
            new TokenRequest(UUID.randomUUID(), endpointId, valid, client, certificate, redaction))
        .outcome()
        .onSuccess(outcome -> {
          request = null;
          promise.complete(answer(outcome));
        });
    return promise.future();
  }

  private Answer answer(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Aborted aborted -> new Answer.None(aborted);
      case Outcome.Authorized authorized ->
          throw new IllegalStateException("a request for a token was authorized: " + authorized);
      case Failed failed when failed.kind() == FailureKind.PROXY -> new Answer.None(failed);
      case Failed failed -> new Answer.None(TokenAnswer.refused(failed, redaction));
      case Delivered delivered -> {
        TokenAnswer answer = TokenAnswer.read(delivered);
        if (answer.token() == null) {
          yield new Answer.None(
              TokenAnswer.failed(
                  redaction.in(answer.problem()), delivered.duration(), Exchanged.NOTHING));
        }
        token = new Answer.Token(answer.token());
        expiresNanos = System.nanoTime() + answer.keptFor().toNanos();
        yield token;
      }
    };
  }
}
