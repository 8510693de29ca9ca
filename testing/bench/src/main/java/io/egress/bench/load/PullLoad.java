package io.egress.bench.load;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Clients that pull pages one after the other, each on its own connection. Bodies are counted and
 * discarded.
 */
final class PullLoad {
  /** The results of all clients. */
  record Result(long pages, long bytes, double seconds, double p50Millis, double p99Millis) {
    double pagesPerSecond() {
      return pages / seconds;
    }

    double megabytesPerSecond() {
      return bytes / seconds / 1e6;
    }
  }

  /** Where to pull from: {@code path} returns the path of the next request. */
  record Target(int port, String key, String accept, Supplier<String> path) {
    Target(int port, String key, Supplier<String> path) {
      this(port, key, "application/json", path);
    }
  }

  private final Vertx vertx;
  private final Target target;
  private final int clients;
  private final Context context;
  private final Latencies latencies = new Latencies();
  private final LongSupplier clock = System::nanoTime;
  private long pages;
  private long bytes;

  PullLoad(Vertx vertx, Target target, int clients) {
    this.vertx = vertx;
    this.target = target;
    this.clients = clients;
    this.context = vertx.getOrCreateContext();
  }

  Result run(double seconds) {
    HttpClient http =
        vertx.createHttpClient(
            new HttpClientOptions().setKeepAlive(true).setDefaultHost("127.0.0.1"),
            new PoolOptions().setHttp1MaxSize(clients));
    Promise<Void> done = Promise.promise();
    long start = clock.getAsLong();
    long end = start + (long) (seconds * 1e9);
    context.runOnContext(_ -> {
      List<Future<Void>> loops = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        Promise<Void> ended = Promise.promise();
        loops.add(ended.future());
        loop(http, end, ended);
      }
      Future.all(loops).<Void>mapEmpty().onComplete(done);
    });
    try {
      done.future().await((long) seconds + 120, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new IllegalStateException("clients still wait for their pages", late);
    } finally {
      http.close();
    }
    double took = (clock.getAsLong() - start) / 1e9;
    return new Result(
        pages, bytes, took, latencies.percentileMillis(50), latencies.percentileMillis(99));
  }

  /**
   * A promise, because a chain of futures through all pages would overflow the stack at its end.
   */
  private void loop(HttpClient http, long end, Promise<Void> ended) {
    long start = clock.getAsLong();
    if (start >= end) {
      ended.complete();
      return;
    }
    page(http)
        .onSuccess(size -> {
          latencies.add(clock.getAsLong() - start);
          pages++;
          bytes += size;
          loop(http, end, ended);
        })
        .onFailure(ended::fail);
  }

  private Future<Long> page(HttpClient http) {
    return http.request(
            new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setPort(target.port())
                .setURI(target.path().get())
                .putHeader("authorization", "Bearer " + target.key())
                .putHeader("accept", target.accept())
                .putHeader("accept-encoding", "gzip"))
        .compose(HttpClientRequest::send)
        .compose(this::count);
  }

  private Future<Long> count(HttpClientResponse response) {
    if (response.statusCode() != 200) {
      return Future.failedFuture("status " + response.statusCode());
    }
    long[] size = new long[1];
    response.handler(part -> size[0] += part.length());
    return response.end().map(_ -> size[0]);
  }
}
