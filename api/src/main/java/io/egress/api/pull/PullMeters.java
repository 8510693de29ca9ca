package io.egress.api.pull;

import io.egress.platform.http.CallMeter;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.stream.Feed;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.http.HttpServerResponse;

/** Counts pulled pages and documents. */
final class PullMeters {
  private static final String CALLS = "egress_pull_duration_seconds";
  private static final String CALLS_MEANING = "duration of pulls";

  final CallMeter list;
  final CallMeter changes;
  final CallMeter inventory;
  final CallMeter one;
  private final Counter documents;
  private final Counter bytes;

  PullMeters(Metrics metrics) {
    list = new CallMeter(metrics, CALLS, CALLS_MEANING, "route", Feed.CAPTURES.path());
    changes = new CallMeter(metrics, CALLS, CALLS_MEANING, "route", Feed.CHANGES.path());
    inventory = new CallMeter(metrics, CALLS, CALLS_MEANING, "route", "/api/v1/inventory");
    one = new CallMeter(metrics, CALLS, CALLS_MEANING, "route", "/api/v1/captures/{id}");
    documents = metrics.counter("egress_pull_documents_total", "documents sent in complete pages");
    bytes =
        metrics.counter(
            "egress_pull_bytes_total", "bytes sent in response to pulls, after compression");
  }

  void sentWhole(int count) {
    documents.increment(count);
  }

  void sent(HttpServerResponse response) {
    bytes.increment((double) response.bytesWritten());
  }
}
