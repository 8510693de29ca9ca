package io.egress.dispatcher.send;

import io.egress.endpoint.EndpointUrl;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TrustOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Opens connections to an address that has been judged, under the name it was found by: the address
 * is never looked up again, while {@code Host}, SNI and the certificate's check use the name.
 *
 * <p>The client's own timeouts are nets below the attempt's deadline. The one on writes frees
 * connections whose receiver has stopped reading: a close waits for what was written before it.
 */
final class Connector {
  private static final int MAX_ANSWER_HEADER_BYTES = 32_768;
  private static final Duration STUCK_WRITE_MARGIN = Duration.ofSeconds(1);

  private final HttpClientAgent client;

  Connector(Vertx vertx, Duration attemptTimeout, TrustOptions trust) {
    int timeoutMillis = Math.toIntExact(attemptTimeout.toMillis());
    int stuckWriteMillis = Math.toIntExact(attemptTimeout.plus(STUCK_WRITE_MARGIN).toMillis());
    HttpClientOptions options =
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_1_1)
            .setUseAlpn(true)
            .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1))
            .setInitialSettings(
                new Http2Settings()
                    .setPushEnabled(false)
                    .setMaxHeaderListSize(MAX_ANSWER_HEADER_BYTES))
            .setMaxHeaderSize(MAX_ANSWER_HEADER_BYTES)
            .setVerifyHost(true)
            .setSslEngineOptions(TlsEngine.options())
            .setTrustOptions(trust)
            .setTcpKeepAlive(true)
            .setConnectTimeout(timeoutMillis)
            .setSslHandshakeTimeout(timeoutMillis)
            .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
            .setWriteIdleTimeout(stuckWriteMillis)
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
    client = vertx.httpClientBuilder().with(options).build();
  }

  Future<HttpClientConnection> connect(EndpointUrl url, InetAddress address) {
    HttpConnectOptions options =
        new HttpConnectOptions()
            .setServer(SocketAddress.inetSocketAddress(new InetSocketAddress(address, url.port())))
            .setHost(url.bracketedHost())
            .setPort(url.port())
            .setSsl(url.secure());
    return client.connect(options);
  }

  Future<Void> close() {
    return client.close();
  }
}
