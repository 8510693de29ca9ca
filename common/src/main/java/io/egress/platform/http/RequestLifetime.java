package io.egress.platform.http;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The time that a request has. It is cut short when its connection ends, or when the client has
 * waited for the service for too long: then the request is answered with 503, or cut off if its
 * response has begun, and what its handler answers later is dropped ({@link #isLate}).
 *
 * <p>The clock runs from the beginning. It stops while the service waits for the client, whose
 * slowness {@link io.egress.platform.flow.Patience} limits, and starts anew when the client has
 * done its part. Owned by the request's event loop.
 */
public final class RequestLifetime {
  /** Below the timeout of usual clients, and above what a busy backend takes. */
  public static final Duration ANSWER_MAX = Duration.ofSeconds(15);

  private static final String KEY = RequestLifetime.class.getName();
  private static final Set<HttpMethod> READING =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
  private static final String IDEMPOTENCY_KEY = "idempotency-key";

  /** The advice for requests that can be repeated without harm. */
  public static final String REPEAT = "Repeating it is safe";

  private static final String CHECK =
      "Check that before repeating it, or repeat it with the same idempotency-key";
  private static final long NO_TIMER = -1;

  private final RoutingContext ctx;
  private final Promise<Void> cutShort = Promise.promise();
  private long answerMillisMax;
  private long timer = NO_TIMER;
  private boolean late;
  private boolean clientSentAll;
  private String adviceForPost = CHECK;
  private @Nullable Runnable heldUntil;

  private RequestLifetime(RoutingContext ctx, Duration answerMax) {
    this.ctx = ctx;
    this.answerMillisMax = answerMax.toMillis();
  }

  static void begin(RoutingContext ctx, Duration answerMax) {
    RequestLifetime lifetime = new RequestLifetime(ctx, answerMax);
    ctx.put(KEY, lifetime);
    ctx.addEndHandler(_ -> lifetime.stopClock());
    lifetime.startClock();
    ClientConnection.begin(ctx.request(), lifetime);
  }

  public static RequestLifetime of(RoutingContext ctx) {
    return requireNonNull(ctx.get(KEY), "the request has no lifetime yet");
  }

  /** For a call that has more to do than others. */
  public static Handler<RoutingContext> within(Duration answerMax, Handler<RoutingContext> call) {
    return ctx -> {
      of(ctx).allow(answerMax);
      call.handle(ctx);
    };
  }

  /** From now on the client waits for the service up to {@code answerMax}. */
  public void allow(Duration answerMax) {
    answerMillisMax = answerMax.toMillis();
    resume();
  }

  /**
   * Fails, with the reason, when there is nobody left to answer: what waits for the request's turn
   * leaves, and what is held for it is released.
   */
  public Future<Void> cutShort() {
    return cutShort.future();
  }

  /** The service waits for the client to send or to read. */
  public void awaitClient() {
    stopClock();
  }

  /**
   * The client wishes to wait: its connection is not idle, and no clock runs until {@link #resume}.
   * {@code clientSentAll} is called once the client has closed its sending direction, after which
   * only a response shows whether it is still there.
   */
  public void hold(Runnable clientSentAll) {
    stopClock();
    heldUntil = clientSentAll;
    if (this.clientSentAll) {
      clientSentAll.run();
    }
  }

  /** The advice to a client that does not know whether its POST was carried out. */
  public void adviseIfUnanswered(String advice) {
    adviceForPost = advice;
  }

  boolean isHeld() {
    return heldUntil != null;
  }

  /** The client waits for the service. */
  public void resume() {
    heldUntil = null;
    if (!cutShort.future().isComplete() && !ctx.response().ended()) {
      startClock();
    }
  }

  /** The answer to a request of which nobody knows whether it was carried out. */
  Refusal unanswered(String reason) {
    HttpServerRequest request = ctx.request();
    if (READING.contains(request.method())) {
      return new Refusal(503, reason + ", try again");
    }
    boolean repeatable =
        !request.method().equals(HttpMethod.POST) || request.headers().contains(IDEMPOTENCY_KEY);
    String advice = repeatable ? REPEAT : adviceForPost;
    return new Refusal(503, reason + "; the request may have been carried out. " + advice);
  }

  /** Whether the deadline has answered: nothing may be written to the response any more. */
  public boolean isLate() {
    return late;
  }

  /** The same of a request that may be refused before it begins, for lack of a path. */
  static boolean isLate(RoutingContext ctx) {
    RequestLifetime lifetime = ctx.get(KEY);
    return lifetime != null && lifetime.late;
  }

  void clientSentAll() {
    clientSentAll = true;
    if (heldUntil != null) {
      heldUntil.run();
    }
  }

  void clientGone() {
    stopClock();
    cutShort.tryFail(new ClientGoneException("the client disconnected"));
  }

  private void startClock() {
    stopClock();
    timer = ctx.vertx().setTimer(answerMillisMax, _ -> end());
  }

  private void stopClock() {
    if (timer != NO_TIMER) {
      ctx.vertx().cancelTimer(timer);
      timer = NO_TIMER;
    }
  }

  private void end() {
    timer = NO_TIMER;
    if (ctx.response().ended()) {
      return;
    }
    Refusal answer = unanswered("the service could not answer in time");
    HttpExchange.unavailable(ctx, answer, answer);
    late = true;
    cutShort.tryFail(answer);
  }
}
