package io.egress.webhook.send;

import io.egress.webhook.send.AccessTokens.Answer;
import io.egress.webhook.send.Outcome.Aborted;
import io.egress.webhook.send.Outcome.Failed;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that waits for an access token first, under the same deadline. If the receiver answers
 * 401, the webhook is sent once more, with a new token.
 */
final class AuthorizedAttempt implements Sending {
  private static final int UNAUTHORIZED = 401;
  private static final long NO_TIMER = -1;

  /** The request for the token has the same deadline, and knows what it has waited for. */
  private static final Duration GRACE = Duration.ofMillis(20);

  private final SendRequest request;
  private final AccessTokens tokens;
  private final SendingLoop loop;
  private final Promise<Outcome> promise;
  private final long startNanos = System.nanoTime();
  private long deadlineTimer = NO_TIMER;
  private @Nullable Sending sending;
  private boolean renewed;
  private boolean ended;

  AuthorizedAttempt(SendRequest request, AccessTokens tokens, SendingLoop loop) {
    this.request = request;
    this.tokens = tokens;
    this.loop = loop;
    this.promise = loop.context().promiseToCaller();
  }

  void start() {
    sending = null;
    tokens.get(loop).onSuccess(this::answered);
    if (!ended && sending == null) {
      Duration left = loop.timeout().minus(elapsed()).plus(GRACE);
      deadlineTimer = loop.context().startTimer(left, this::deadlinePassed);
    }
  }

  private void answered(Answer answer) {
    loop.context().cancelTimer(deadlineTimer);
    if (ended) {
      return;
    }
    switch (answer) {
      case Answer.None(Failed failed) ->
          end(
              new Failed(
                  failed.kind(), failed.status(), failed.detail(), elapsed(), failed.exchanged()));
      case Answer.None(Outcome outcome) -> end(outcome);
      case Answer.Token token -> {
        sending = loop.begin(request.authorized(token.value()), startNanos);
        sending.outcome().onSuccess(outcome -> sent(outcome, token));
      }
    }
  }

  private void sent(Outcome outcome, Answer.Token token) {
    boolean isRejected =
        outcome instanceof Failed failed
            && failed.status() != null
            && failed.status() == UNAUTHORIZED;
    if (isRejected) {
      tokens.reject(token);
    }
    if (isRejected && !renewed && !ended) {
      renewed = true;
      start();
    } else {
      end(outcome);
    }
  }

  private void deadlinePassed() {
    end(
        TokenAnswer.failed(
            "the token server: no token within " + loop.timeout().toMillis() + " ms",
            elapsed(),
            Exchanged.NOTHING));
  }

  @Override
  public void abort(String reason) {
    loop.context()
        .run(() -> {
          if (sending == null) {
            end(new Aborted(reason, elapsed()));
          } else {
            renewed = true;
            sending.abort(reason);
          }
        });
  }

  @Override
  public Future<Outcome> outcome() {
    return promise.future();
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  private void end(Outcome outcome) {
    if (!ended) {
      ended = true;
      loop.context().cancelTimer(deadlineTimer);
      promise.complete(outcome);
    }
  }
}
