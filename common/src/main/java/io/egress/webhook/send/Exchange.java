package io.egress.webhook.send;

import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.EndpointUrl;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.ext.web.client.impl.ClientPhase;
import io.vertx.ext.web.client.impl.HttpContext;
import io.vertx.ext.web.client.impl.WebClientInternal;
import org.jspecify.annotations.Nullable;

/**
 * One request to one address and its response. It uses a connection of the client's pool, which it
 * returns exactly once: when the response has ended, when something failed, or when it is cut off.
 *
 * <p>This is the one class that uses {@link WebClient}'s internals. An interceptor writes the body
 * at the last moment, from reusable memory, and keeps the request so that it can be cut off before
 * its response; the public API has a body before there is a connection, and no access to either.
 */
final class Exchange {
  interface Listener {
    /** A connection was obtained, and the request was passed to it. */
    void connected();

    /** No connection to the address could be opened. */
    void failedToConnect(Throwable failure);

    /** The status line has arrived. */
    void answered(int status);

    /** The body has ended, or is longer than is worth reading. */
    void finished();

    /** The connection failed, before or after the status line. */
    void broke(Throwable failure);
  }

  private static final String KEY = "exchange";
  private static final long REFUSED_STREAM = 0x7;
  private static final long CANCEL = 0x8;
  private static final int FIRST_FINAL_STATUS = 200;

  /** A status has three digits; codecs accept any number. */
  private static final int LAST_STATUS = 999;

  private static final int NO_CONTENT = 204;
  private static final int NOT_MODIFIED = 304;

  /** Servers send one or two; a flood of them would occupy the event loop. */
  private static final int INTERIM_ANSWERS_MAX = 8;

  private final Outgoing request;
  private final SocketAddress address;
  private final @Nullable ProxyOptions proxy;
  private final boolean keepConnection;
  private final SendingLoop loop;
  private final Connections connections;
  private final Listener listener;
  private final AnswerStart answerStart;
  private @Nullable HttpClientRequest stream;
  private Connections.@Nullable Connection connection;
  private @Nullable HttpClientResponse response;
  private @Nullable SentRequest sent;
  private String answerHeaders = "";
  private @Nullable String retryAfter;
  private boolean onUsedConnection;
  private boolean written;
  private boolean over;
  private int interimAnswers;

  /** {@code keepConnection} tells whether others may use the connection afterwards. */
  Exchange(
      Outgoing request,
      SocketAddress address,
      @Nullable ProxyOptions proxy,
      boolean keepConnection,
      SendingLoop loop,
      Listener listener) {
    this.request = request;
    this.address = address;
    this.proxy = proxy;
    this.keepConnection = keepConnection;
    this.loop = loop;
    this.connections = loop.connections();
    this.listener = listener;
    this.answerStart = new AnswerStart(request.answerBytesMax(), this::tooLong);
  }

  /** A client for the exchanges of an event loop. */
  static WebClient clientOf(HttpClientAgent http) {
    WebClient client =
        WebClient.wrap(
            http, new WebClientOptions().setFollowRedirects(false).setUserAgentEnabled(false));
    ((WebClientInternal) client).addInterceptor(Exchange::intercept);
    return client;
  }

  /** Host header, SNI and certificate check use the name; the connection goes to the address. */
  void start() {
    EndpointUrl url = request.url();
    connections.opening(request.endpointId());
    HttpRequest<Buffer> post =
        loop.client()
            .request(HttpMethod.POST, address, url.port(), url.bracketedHost(), url.target())
            .ssl(url.secure());
    if (proxy != null) {
      post.proxy(proxy);
    }
    HttpContext<Buffer> http =
        ((WebClientInternal) loop.client())
            .createContext((ContextInternal) loop.context().vertx().getOrCreateContext());
    http.set(KEY, this);
    http.future().onComplete(_ -> finish(), this::broken);
    http.prepareRequest(post.as(() -> answerStart), null, null);
  }

  private static void intercept(HttpContext<?> http) {
    Exchange exchange = http.get(KEY);
    if (http.phase() == ClientPhase.CREATE_REQUEST) {
      exchange.create(http);
    } else if (http.phase() == ClientPhase.SEND_REQUEST) {
      exchange.send(http);
    } else if (http.phase() == ClientPhase.RECEIVE_RESPONSE) {
      exchange.begin(http);
    } else {
      http.next();
    }
  }

  Exchanged exchanged() {
    return new Exchanged(sent, answerHeaders, request.kept(answerStart.bytes()), retryAfter);
  }

  /** Whether a connection was obtained. */
  boolean isConnected() {
    return stream != null;
  }

  /**
   * Whether the request may have failed only because the connection was stale, or because the
   * receiver refuses to process it on this connection.
   */
  boolean deservesFreshConnection(Throwable failure) {
    if (failure instanceof StreamResetException reset) {
      return reset.getCode() == REFUSED_STREAM;
    }
    boolean refused =
        failure instanceof HttpClosedException && connection != null && connection.hasGoneAway();
    return onUsedConnection || refused;
  }

  /**
   * Ends the exchange from this side. An HTTP/2 connection stays open, unless it is suspected to be
   * dead. A connection that is still being opened goes to the pool.
   */
  void cut(boolean connectionIsSuspect) {
    if (over) {
      return;
    }
    over = true;
    if (stream != null) {
      stream.reset(CANCEL);
      giveBack(written && !connectionIsSuspect);
    }
  }

  /**
   * The client has a pool for each combination of address, name, proxy and TLS options. Through a
   * proxy, a connection of its own is a matter of the TLS options.
   */
  private void create(HttpContext<?> http) {
    ClientCertificate certificate = request.certificate();
    if (proxy != null && !keepConnection) {
      http.requestOptions().setSslOptions(loop.uniqueTlsOptions(certificate));
    } else if (certificate != null) {
      http.requestOptions().setSslOptions(loop.tlsOptions(certificate));
    }
    http.next();
  }

  private void send(HttpContext<?> http) {
    HttpClientRequest opened = http.clientRequest();
    opened.exceptionHandler(_ -> {}); // The response fails, too.
    connections.settled(request.endpointId());
    connection = connections.take(opened.connection(), address);
    onUsedConnection = connection.wasUsed();
    stream = opened;
    if (over) {
      discard(opened);
      return;
    }
    listener.connected();
    opened.continueHandler(_ -> countInterimAnswer(http));
    opened.earlyHintsHandler(_ -> countInterimAnswer(http));
    opened.response().onComplete(answer -> http.receiveResponse(answer.pause()), http::fail);
    sent = request.putHeaders(opened);
    BodyBuffers.Body body = request.body(loop.bodies());
    opened
        .end(body.buffer())
        .onComplete(
            _ -> {
              written = true;
              body.giveBack();
            },
            failure -> {
              body.drop();
              http.fail(failure);
            });
  }

  /**
   * Vert.x does not release an HTTP/2 stream that was never begun, so the connection is closed once
   * its other streams have ended.
   */
  private void discard(HttpClientRequest unused) {
    unused.reset(CANCEL);
    giveBack(!isMultiplexed());
  }

  private void countInterimAnswer(HttpContext<?> http) {
    interimAnswers++;
    if (interimAnswers == INTERIM_ANSWERS_MAX + 1) {
      http.fail(new IllegalStateException("more than " + INTERIM_ANSWERS_MAX + " interim answers"));
      if (connection != null) {
        connection.close();
      }
    }
  }

  private void begin(HttpContext<?> http) {
    HttpClientResponse begun = http.clientResponse();
    if (over) {
      return;
    }
    if (begun.statusCode() < FIRST_FINAL_STATUS || begun.statusCode() > LAST_STATUS) {
      begun.exceptionHandler(_ -> {}); // Failing would reset the request, which would be logged.
      http.fail(new IllegalStateException("unexpected answer " + begun.statusCode()));
      return;
    }
    response = begun;
    answerHeaders = HeaderLines.of(begun.headers(), request.redaction());
    retryAfter = begun.getHeader(RetryAfter.HEADER);
    listener.answered(begun.statusCode());
    http.next();
  }

  private void finish() {
    if (!over) {
      over = true;
      giveBack(written && !hasForbiddenBody());
      listener.finished();
    }
  }

  private void tooLong() {
    if (!over) {
      cut(false);
      listener.finished();
    }
  }

  private void broken(Throwable failure) {
    if (stream == null) {
      connections.settled(request.endpointId());
    }
    if (over) {
      return;
    }
    over = true;
    if (stream == null) {
      listener.failedToConnect(failure);
    } else {
      giveBack(isMultiplexed() && failure instanceof StreamResetException);
      listener.broke(failure);
    }
  }

  /** The bytes of a body that the status does not allow would be read as the next response. */
  private boolean hasForbiddenBody() {
    if (response == null
        || (response.statusCode() != NO_CONTENT && response.statusCode() != NOT_MODIFIED)) {
      return false;
    }
    String length = response.getHeader(HttpHeaders.CONTENT_LENGTH);
    return (length != null && !length.equals("0"))
        || response.getHeader(HttpHeaders.TRANSFER_ENCODING) != null;
  }

  private boolean isMultiplexed() {
    return connection != null && connection.isMultiplexed();
  }

  private void giveBack(boolean reusable) {
    if (connection != null) {
      connections.giveBack(connection, reusable && keepConnection);
    }
  }
}
