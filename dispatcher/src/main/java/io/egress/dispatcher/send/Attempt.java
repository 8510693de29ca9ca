package io.egress.dispatcher.send;

import io.egress.dispatcher.send.Outcome.Aborted;
import io.egress.dispatcher.send.Outcome.Delivered;
import io.egress.dispatcher.send.Outcome.Failed;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt from the name lookup to the end of the answer, under one deadline. It ends exactly
 * once; whatever the network reports after that only gives connections back.
 *
 * <p>A receiver may close a connection in the very moment in which it is used again, and what it
 * sent behind its last answer may stand in the way of the next. So a request that breaks on a kept
 * connection before any answer is sent once more, on a fresh one, within the same attempt and
 * deadline. Should the receiver have taken it after all, it gets the delivery twice, which
 * at-least-once delivery allows.
 */
final class Attempt
    implements Sending, EndpointPool.Waiter, Connecting.Listener, Exchange.Listener {
  private static final long NOT_STARTED = -1;

  private enum Phase {
    LOOKUP("looking up the name"),
    WAITING("waiting for a connection"),
    CONNECTING("connecting"),
    EXCHANGE("waiting for the status line");

    private final String words;

    Phase(String words) {
      this.words = words;
    }
  }

  private final SendRequest request;
  private final AttemptContext context;
  private final Consumer<Attempt> whenEnded;
  private final Promise<Outcome> promise;
  private final long startNanos = System.nanoTime();
  private long deadlineTimer = NOT_STARTED;
  private Phase phase = Phase.LOOKUP;
  private boolean ended;
  private boolean repeated;
  private List<InetAddress> addresses = List.of();
  private @Nullable EndpointPool pool;
  private @Nullable Connecting connecting;
  private @Nullable Exchange exchange;
  private @Nullable Answer answer;

  Attempt(SendRequest request, AttemptContext context, Consumer<Attempt> whenEnded) {
    this.request = request;
    this.context = context;
    this.whenEnded = whenEnded;
    this.promise = context.promiseToCaller();
  }

  void start() {
    deadlineTimer = context.startTimer(context.timeout().toMillis(), this::deadlinePassed);
    InetAddress literal = request.url().literalAddress();
    if (literal != null) {
      found(List.of(literal));
    } else {
      context
          .names()
          .addressesOf(request.url().host())
          .onComplete(this::found, failure -> fail(Breakage.ofLookup(failure)));
    }
  }

  @Override
  public Future<Outcome> outcome() {
    return promise.future();
  }

  @Override
  public void abort(String reason) {
    context.run(() -> abortHere(reason));
  }

  @Override
  public void lend(PooledConnection connection) {
    connected(connection);
  }

  @Override
  public void mayOpen() {
    phase = Phase.CONNECTING;
    long deadlineNanos = startNanos + context.timeout().toNanos();
    connecting = new Connecting(pool(), context, addresses, deadlineNanos, this);
    connecting.tryNext();
  }

  @Override
  public boolean wantsFresh() {
    return repeated;
  }

  @Override
  public void connected(PooledConnection connection) {
    phase = Phase.EXCHANGE;
    exchange = new Exchange(connection, pool(), context.bodies(), this);
    exchange.start(request);
  }

  @Override
  public void failedToConnect(Throwable lastFailure) {
    fail(Breakage.whileConnecting(lastFailure));
  }

  @Override
  public void answered(Answer begun) {
    answer = begun;
  }

  @Override
  public void finished() {
    if (answer != null) {
      end(outcomeOf(answer));
    }
  }

  @Override
  public void broke(Throwable failure) {
    if (answer != null) {
      end(outcomeOf(answer));
    } else if (mayRepeat(failure)) {
      repeated = true;
      exchange = null;
      waitForConnection();
    } else {
      fail(Breakage.whileWaiting(failure));
    }
  }

  private void found(List<InetAddress> found) {
    if (ended) {
      return;
    }
    String host = request.url().host();
    if (found.isEmpty()) {
      fail(new Breakage(FailureKind.DNS, host + " has no address"));
      return;
    }
    for (InetAddress address : found) {
      String refusal = context.policy().refusal(address);
      if (refusal != null) {
        fail(new Breakage(FailureKind.BLOCKED_ADDRESS, Breakage.tidy(host + ": " + refusal)));
        return;
      }
    }
    addresses = found;
    pool = context.pools().of(request);
    waitForConnection();
  }

  private void waitForConnection() {
    phase = Phase.WAITING;
    if (!pool().acquire(this)) {
      end(new Aborted("too many attempts wait for a connection to this endpoint", elapsed()));
    }
  }

  private boolean mayRepeat(Throwable failure) {
    boolean stale =
        exchange != null && exchange.isOnKeptConnection() && !Breakage.endsTheStreamOnly(failure);
    return !ended && !repeated && (stale || Breakage.isRefused(failure));
  }

  private void deadlinePassed() {
    if (answer != null) {
      end(outcomeOf(answer));
    } else {
      String detail = "no status line within " + context.timeout().toMillis() + " ms: ";
      fail(new Breakage(FailureKind.TIMEOUT, detail + phase.words));
    }
  }

  private void abortHere(String reason) {
    end(answer == null ? new Aborted(reason, elapsed()) : outcomeOf(answer));
  }

  private void fail(Breakage breakage) {
    end(new Failed(breakage.kind(), null, breakage.detail(), elapsed(), Buffer.buffer()));
  }

  private static boolean isSuccess(int status) {
    return status >= 200 && status <= 299;
  }

  private Outcome outcomeOf(Answer answer) {
    Duration duration = Duration.ofNanos(answer.arrivedNanos() - startNanos);
    return isSuccess(answer.status())
        ? new Delivered(answer.status(), duration, answer.start())
        : new Failed(
            FailureKind.STATUS,
            answer.status(),
            "answered " + answer.status(),
            duration,
            answer.start());
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  private void end(Outcome outcome) {
    if (ended) {
      return;
    }
    ended = true;
    context.cancelTimer(deadlineTimer);
    if (phase == Phase.WAITING) {
      pool().remove(this);
    }
    if (connecting != null) {
      connecting.cancel();
    }
    if (exchange != null) {
      exchange.cut(outcome instanceof Failed failed && failed.kind() == FailureKind.TIMEOUT);
    }
    whenEnded.accept(this);
    promise.complete(outcome);
  }

  private EndpointPool pool() {
    if (pool == null) {
      throw new IllegalStateException("no addresses yet");
    }
    return pool;
  }
}
