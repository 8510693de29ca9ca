package io.egress.webhook.send;

import io.egress.webhook.endpoint.ClientCertificate;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.core.tracing.TracingPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Creates HTTP clients for calling receivers. Their timeouts are a safety net behind the attempt's
 * deadline. The write timeout frees connections whose receiver has stopped reading: closing waits
 * for what was written before.
 */
final class HttpClients {
  private static final int MAX_ANSWER_HEADER_BYTES = 32_768;
  private static final List<HttpVersion> ALPN_VERSIONS =
      List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1);
  private static final int MAX_STREAMS_PER_CONNECTION = 100;
  private static final Duration STUCK_WRITE_MARGIN = Duration.ofSeconds(1);

  private HttpClients() {}

  static HttpClientAgent create(
      Vertx vertx, SenderSettings settings, TrustOptions trust, Handler<HttpConnection> opened) {
    return vertx
        .httpClientBuilder()
        .with(options(settings, trust))
        .with(pool(settings.pool()))
        .withConnectHandler(opened)
        .build();
  }

  /** What requests with TLS options of their own have in common with the others. */
  static ClientSSLOptions tls(TrustOptions trust, @Nullable ClientCertificate certificate) {
    return new ClientSSLOptions()
        .setTrustOptions(trust)
        .setKeyCertOptions(certificate == null ? null : certificate.options())
        .setUseAlpn(true)
        .setHostnameVerificationAlgorithm("HTTPS")
        .setApplicationLayerProtocols(ALPN_VERSIONS.stream().map(HttpVersion::alpnName).toList());
  }

  private static HttpClientOptions options(SenderSettings settings, TrustOptions trust) {
    Duration timeout = settings.attemptTimeout();
    int timeoutMillis = Math.toIntExact(timeout.toMillis());
    int stuckWriteMillis = Math.toIntExact(timeout.plus(STUCK_WRITE_MARGIN).toMillis());
    int idleSeconds = Math.toIntExact(settings.pool().idleTimeout().toSeconds());
    return new HttpClientOptions()
        .setProtocolVersion(HttpVersion.HTTP_1_1)
        .setUseAlpn(true)
        .setAlpnVersions(ALPN_VERSIONS)
        .setInitialSettings(
            new Http2Settings().setPushEnabled(false).setMaxHeaderListSize(MAX_ANSWER_HEADER_BYTES))
        .setHttp2MultiplexingLimit(MAX_STREAMS_PER_CONNECTION)
        .setMaxHeaderSize(MAX_ANSWER_HEADER_BYTES)
        .setVerifyHost(true)
        .setSslEngineOptions(TlsEngine.options())
        .setTrustOptions(trust)
        .setKeyCertOptions(settings.certificate() == null ? null : settings.certificate().options())
        .setTcpKeepAlive(true)
        .setConnectTimeout(timeoutMillis)
        .setSslHandshakeTimeout(timeoutMillis)
        .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
        .setWriteIdleTimeout(stuckWriteMillis)
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
        .setKeepAliveTimeout(idleSeconds)
        .setHttp2KeepAliveTimeout(idleSeconds)
        // Vert.x would send a traceparent whenever a traced request is being served.
        .setTracingPolicy(TracingPolicy.IGNORE);
  }

  private static PoolOptions pool(SenderSettings.PoolLimits limits) {
    return new PoolOptions()
        .setHttp1MaxSize(limits.maxPerHost())
        .setHttp2MaxSize(limits.maxPerHost());
  }
}
