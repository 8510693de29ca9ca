package io.egress.api.pull;

import io.egress.http.CallMeter;
import io.egress.metrics.Metrics;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.http.HttpServerResponse;

/** What goes out by pull. */
final class PullMeters {
  private static final String CALLS = "egress_pull_duration_seconds";
  private static final String CALLS_MEANING = "pulls of pages and of single captures, by outcome";

  final CallMeter list;
  final CallMeter one;
  private final Counter documents;
  private final Counter bytes;

  PullMeters(Metrics metrics) {
    list = new CallMeter(metrics, CALLS, CALLS_MEANING, "route", "/api/v1/captures");
    one = new CallMeter(metrics, CALLS, CALLS_MEANING, "route", "/api/v1/captures/{id}");
    documents = metrics.counter("egress_pull_documents_total", "documents sent in whole pages");
    bytes =
        metrics.counter(
            "egress_pull_bytes_total", "bytes of answers to pulls, compressed as they are sent");
  }

  void sentWhole(int count) {
    documents.increment(count);
  }

  void sent(HttpServerResponse response) {
    bytes.increment((double) response.bytesWritten());
  }
}
