package io.egress.dispatcher.send;

import io.netty.util.AsciiString;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer on one connection, which it gives back exactly once: when the answer
 * has ended, when something broke, or when it is cut off from this side.
 */
final class Exchange {
  interface Listener {
    void answered(Answer answer);

    /** The body has ended, or is longer than is worth reading. */
    void finished();

    void broke(Throwable failure);
  }

  private static final long CANCEL = 0x8;
  private static final int FIRST_FINAL_STATUS = 200;

  /** Servers send one or two; a flood of them keeps the event loop from others. */
  private static final int INTERIM_ANSWERS_MAX = 8;

  private static final CharSequence JSON = new AsciiString("application/json");
  private static final CharSequence EVENT_HEADER = new AsciiString("x-service-event");
  private static final CharSequence EVENT = new AsciiString(Envelope.EVENT);
  private static final CharSequence DELIVERY_HEADER = new AsciiString("x-service-delivery");
  private static final CharSequence SIGNATURE_HEADER = new AsciiString("x-service-signature");
  private static final CharSequence USER_AGENT = new AsciiString(UserAgent.VALUE);

  private final PooledConnection connection;
  private final EndpointPool pool;
  private final BodyBuffers bodies;
  private final Listener listener;
  private final boolean onKeptConnection;
  private @Nullable HttpClientRequest http;
  private int interimAnswers;
  private boolean written;
  private boolean over;

  Exchange(PooledConnection connection, EndpointPool pool, BodyBuffers bodies, Listener listener) {
    this.connection = connection;
    this.pool = pool;
    this.bodies = bodies;
    this.listener = listener;
    this.onKeptConnection = connection.wasKept();
  }

  void start(SendRequest request) {
    RequestOptions options =
        new RequestOptions().setMethod(HttpMethod.POST).setURI(request.url().target());
    connection
        .request(options)
        .onComplete(
            (stream, failure) -> {
              if (failure != null) {
                broken(failure);
                return;
              }
              stream.exceptionHandler(this::broken);
              if (over) {
                stream.reset(CANCEL);
              } else {
                write(stream, request);
              }
            });
  }

  /** Whether it may have broken for no other reason than that the connection had gone stale. */
  boolean isOnKeptConnection() {
    return onKeptConnection;
  }

  /** An HTTP/2 connection outlives this, unless nothing at all has come back on it in time. */
  void cut(boolean connectionIsSuspect) {
    if (over) {
      return;
    }
    if (http != null) {
      http.reset(CANCEL);
    }
    giveBack(connection.isMultiplexed() && written && !connectionIsSuspect);
  }

  private void write(HttpClientRequest stream, SendRequest request) {
    http = stream;
    stream.continueHandler(interim -> countInterimAnswer());
    stream.earlyHintsHandler(interim -> countInterimAnswer());
    BodyBuffers.Body body = bodies.of(request.envelope());
    stream.response().onComplete(this::begin, this::broken);
    stream
        .putHeader(HttpHeaders.CONTENT_TYPE, JSON)
        .putHeader(HttpHeaders.USER_AGENT, USER_AGENT)
        .putHeader(EVENT_HEADER, EVENT)
        .putHeader(DELIVERY_HEADER, request.envelope().deliveryId().toString())
        .putHeader(SIGNATURE_HEADER, request.sign())
        .end(body.buffer())
        .onComplete(
            done -> {
              written = true;
              body.giveBack();
            },
            failure -> {
              body.drop();
              broken(failure);
            });
  }

  private void countInterimAnswer() {
    interimAnswers++;
    if (!over && interimAnswers > INTERIM_ANSWERS_MAX) {
      Throwable flood =
          new IllegalStateException("more than " + INTERIM_ANSWERS_MAX + " interim answers");
      broken(flood);
      connection.close();
    }
  }

  private void begin(HttpClientResponse response) {
    if (over) {
      return;
    }
    if (response.statusCode() < FIRST_FINAL_STATUS) {
      broken(new IllegalStateException("unexpected answer " + response.statusCode()));
      return;
    }
    Answer begun = new Answer(response, System.nanoTime());
    response.handler(chunk -> read(begun, chunk));
    response.endHandler(end -> finish(begun));
    response.exceptionHandler(this::broken);
    listener.answered(begun);
  }

  private void read(Answer begun, Buffer chunk) {
    if (!over && !begun.read(chunk)) {
      cut(false);
      listener.finished();
    }
  }

  private void finish(Answer ended) {
    if (!over) {
      connection.keepFor(ended.keepAliveNanos());
      giveBack(written && ended.keepsConnection());
      listener.finished();
    }
  }

  private void broken(Throwable failure) {
    if (!over) {
      giveBack(connection.isMultiplexed() && Breakage.endsTheStreamOnly(failure));
      listener.broke(failure);
    }
  }

  private void giveBack(boolean reusable) {
    over = true;
    pool.giveBack(connection, reusable);
  }
}
