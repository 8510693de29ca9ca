package io.egress.webhook.send;

import io.egress.webhook.send.AccessTokens.Answer;
import io.egress.webhook.send.Outcome.Aborted;
import io.egress.webhook.send.Outcome.Authorized;
import io.egress.webhook.send.Outcome.Failed;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An attempt with an access token. One that has to wait for its token ends as {@link
 * Outcome.Authorized}, and is made again with it: meanwhile, its document may have been erased or
 * its endpoint paused. If the receiver answers 401, that happens once more, with a new token. Token
 * and webhook have one deadline.
 */
final class AuthorizedAttempt implements Sending {
  private static final int UNAUTHORIZED = 401;
  private static final long NO_TIMER = -1;

  /** The request for the token has the same deadline, and knows what it has waited for. */
  private static final Duration GRACE = Duration.ofMillis(20);

  private final SendRequest request;
  private final AccessTokens tokens;
  private final @Nullable Authorized authorized;
  private final SendingLoop loop;
  private final Promise<Outcome> promise;
  private final long startNanos;
  private long deadlineTimer = NO_TIMER;
  private @Nullable Sending sending;

  /** What was sent with a token that the receiver has rejected. */
  private @Nullable SentRequest rejected;

  private boolean aborted;
  private boolean ended;

  /** {@code authorized} is ignored if it is of other tokens: the endpoint has changed since. */
  AuthorizedAttempt(
      SendRequest request, AccessTokens tokens, @Nullable Authorized authorized, SendingLoop loop) {
    this.request = request;
    this.tokens = tokens;
    this.authorized = authorized != null && authorized.tokens() == tokens ? authorized : null;
    this.loop = loop;
    this.promise = loop.context().promiseToCaller();
    this.rejected = authorized == null ? null : authorized.rejected();
    this.startNanos =
        System.nanoTime() - (authorized == null ? 0 : authorized.duration().toNanos());
  }

  void start() {
    if (authorized != null) {
      send(authorized.token());
      return;
    }
    Future<Answer> token = tokens.get(loop);
    if (token.isComplete() && token.result() instanceof Answer.Token kept) {
      send(kept);
    } else {
      await(token);
    }
  }

  private void await(Future<Answer> token) {
    sending = null;
    token.onSuccess(this::answered);
    if (!ended) {
      Duration left = loop.timeout().minus(elapsed()).plus(GRACE);
      deadlineTimer = loop.context().startTimer(left, this::deadlinePassed);
    }
  }

  private void answered(Answer answer) {
    switch (answer) {
      case Answer.None(Failed failed) ->
          end(
              new Failed(
                  failed.kind(), failed.status(), failed.detail(), elapsed(), failed.exchanged()));
      case Answer.None(Outcome outcome) -> end(outcome);
      case Answer.Token token -> end(new Authorized(tokens, token, rejected, elapsed()));
    }
  }

  private void send(Answer.Token token) {
    sending = loop.begin(request.authorized(token.value()), startNanos);
    sending.outcome().onSuccess(outcome -> sent(outcome, token));
  }

  private void sent(Outcome outcome, Answer.Token token) {
    SentRequest last = null;
    if (outcome instanceof Failed failed
        && failed.status() != null
        && failed.status() == UNAUTHORIZED) {
      tokens.reject(token);
      last = failed.exchanged().request();
    }
    if (last != null && rejected == null && !aborted) {
      rejected = last;
      await(tokens.get(loop));
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
            aborted = true;
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
      promise.complete(rejected == null ? outcome : outcome.after(rejected));
    }
  }
}
