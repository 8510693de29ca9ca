package io.egress.api.call;

import io.egress.platform.flow.Patience;
import io.egress.platform.http.ClientGoneException;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PacedResponse;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestBody;
import io.egress.platform.http.RequestLifetime;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs operations, each on a virtual thread of its own, and turns their answers into responses. A
 * bounded number runs at a time; the others wait in the order of their arrival, for as long as
 * their requests may take.
 *
 * <p>An operation that has begun is never interrupted: it ends by itself, because each of its
 * statements does, and its answer is dropped if the deadline has answered before.
 */
public final class Calls {
  private static final int RUNNING_MAX = 256;
  private static final int WAITING_MAX = 20_000;
  private static final RequestBody.Limits BODY_LIMITS =
      new RequestBody.Limits(65_536, new Patience.Terms(Duration.ofSeconds(30), 1_024));

  private final Semaphore running = new Semaphore(RUNNING_MAX, true);
  private final Patience.Terms patience;

  /** {@code patience} is for clients that read answers which are written piece by piece. */
  public Calls(Patience.Terms patience) {
    this.patience = patience;
  }

  /** For calls without a body. */
  public Handler<RoutingContext> answer(Operation operation) {
    return ctx -> begin(ctx, Buffer.buffer(), operation);
  }

  /** Reads the body first. */
  public Handler<RoutingContext> withBody(Operation operation) {
    return ctx ->
        new RequestBody(ctx, BODY_LIMITS)
            .read()
            .onSuccess(body -> begin(ctx, body, operation))
            .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private void begin(RoutingContext ctx, Buffer body, Operation operation) {
    if (running.getQueueLength() >= WAITING_MAX) {
      HttpExchange.fail(ctx, new Refusal(503, "too many calls are waiting, try again"));
      return;
    }
    Exchange exchange = new Exchange(ctx, ctx.vertx().getOrCreateContext());
    Call call = new Call(ctx, body);
    Thread.ofVirtual().name("call").start(() -> run(exchange, call, operation));
  }

  private void run(Exchange exchange, Call call, Operation operation) {
    running.acquireUninterruptibly();
    try {
      if (!exchange.isOver()) {
        exchange.send(operation.answer(call));
      }
    } catch (Throwable failure) {
      exchange.fail(failure);
    } finally {
      running.release();
    }
  }

  /** A request and its response, which belong to the event loop. */
  private final class Exchange {
    private final RoutingContext ctx;
    private final Context loop;
    private @Nullable PacedResponse paced;

    private Exchange(RoutingContext ctx, Context loop) {
      this.ctx = ctx;
      this.loop = loop;
    }

    boolean isOver() {
      return RequestLifetime.of(ctx).cutShort().isComplete();
    }

    void fail(Throwable failure) {
      loop.runOnContext(_ -> HttpExchange.fail(ctx, failure));
    }

    void send(Answer answer) {
      Answer.Body body = answer.body();
      if (body instanceof Answer.Whole whole) {
        loop.runOnContext(_ -> {
          if (!RequestLifetime.of(ctx).isLate()) {
            HttpExchange.end(begun(answer), whole.bytes());
          }
        });
      } else if (body == null) {
        onLoop(() -> HttpExchange.endEmpty(begun(answer), answer.status()));
      } else {
        stream(answer, body);
      }
    }

    /** The head is sent with the first piece. */
    private void stream(Answer answer, Answer.Body body) {
      if (!ctx.request().method().equals(HttpMethod.HEAD)) {
        body.write(piece -> whileOthersRun(() -> write(answer, piece)));
      }
      whileOthersRun(() -> paced(answer).end());
    }

    /** Waits for the client, which is not to keep others from running. */
    private void whileOthersRun(Supplier<Future<Void>> writing) {
      running.release();
      try {
        onLoop(writing);
      } finally {
        running.acquireUninterruptibly();
      }
    }

    private Future<Void> write(Answer answer, Buffer piece) {
      Iterator<Buffer> once = List.of(piece).iterator();
      return paced(answer)
          .sendAll(() -> once.hasNext() ? once.next() : null)
          .onComplete(_ -> RequestLifetime.of(ctx).resume());
    }

    private PacedResponse paced(Answer answer) {
      if (paced == null) {
        begun(answer).response().setChunked(true);
        paced = new PacedResponse(ctx, patience);
      }
      return paced;
    }

    private RoutingContext begun(Answer answer) {
      HttpServerResponse response = ctx.response().setStatusCode(answer.status());
      answer.headers().forEach(response::putHeader);
      if (answer.contentType() != null) {
        response.putHeader(HttpHeaders.CONTENT_TYPE, answer.contentType());
      }
      return ctx;
    }

    /** A connection that fails here is the client's, not a backend's. */
    private void onLoop(Supplier<Future<Void>> work) {
      Promise<Void> done = Promise.promise();
      loop.runOnContext(_ -> {
        Future<Void> cutShort = RequestLifetime.of(ctx).cutShort();
        if (cutShort.failed()) {
          done.fail(cutShort.cause());
        } else {
          work.get().onComplete(done);
        }
      });
      done.future()
          .recover(failure ->
              Future.failedFuture(
                  failure instanceof Refusal || failure instanceof ClientGoneException
                      ? failure
                      : new ClientGoneException("the client disconnected")))
          .await();
    }
  }
}
