package io.egress.dispatcher.send;

import io.vertx.core.Future;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.RequestOptions;

/** An open connection and what its endpoint's pool has to know about it. */
final class PooledConnection {
  private static final int MAX_STREAMS = 100;
  private static final int WINDOW_OF_HTTP_1 = -1;

  private final HttpClientConnection http;
  private final long openedNanos;
  private int active;
  private boolean kept;
  private long freeSinceNanos;
  private long keepNanos = Long.MAX_VALUE;
  private boolean retired;
  private Runnable whenClosed = () -> {};

  PooledConnection(HttpClientConnection http, long nowNanos) {
    this.http = http;
    this.openedNanos = nowNanos;
    this.freeSinceNanos = nowNanos;
  }

  /** May be run more than once. */
  void whenClosed(Runnable action) {
    whenClosed = action;
    http.closeHandler(closed -> action.run());
  }

  /** HTTP/2: one connection carries many requests, and ending one leaves the others alone. */
  boolean isMultiplexed() {
    return http.getWindowSize() != WINDOW_OF_HTTP_1;
  }

  Future<HttpClientRequest> request(RequestOptions options) {
    return http.request(options);
  }

  boolean hasRoom() {
    long streams = isMultiplexed() ? Math.min(MAX_STREAMS, http.maxActiveStreams()) : 1;
    return !retired && active < streams;
  }

  boolean isFree() {
    return active == 0;
  }

  /** Whether it has been in the pool before, so that it may have gone stale there. */
  boolean wasKept() {
    return kept;
  }

  long freeSinceNanos() {
    return freeSinceNanos;
  }

  boolean isOlderThan(long ageNanos, long nowNanos) {
    return nowNanos - openedNanos > ageNanos;
  }

  /** Whether the receiver said that it will have closed it by now. */
  boolean isPastKeepAlive(long nowNanos) {
    return isFree() && nowNanos - freeSinceNanos > keepNanos;
  }

  void take() {
    active++;
  }

  void giveBack(long nowNanos) {
    active--;
    kept = true;
    freeSinceNanos = nowNanos;
  }

  void keepFor(long keepAliveNanos) {
    keepNanos = keepAliveNanos;
  }

  /** Takes no further requests. */
  void retire() {
    retired = true;
  }

  boolean isRetired() {
    return retired;
  }

  void close() {
    retired = true;
    http.close().onComplete(closed -> whenClosed.run());
  }
}
