package io.egress.standalone.demo;

import io.egress.standalone.run.InternalApi;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;

/** Stands in for what turns conversations into transcripts. */
final class Pipeline {
  private static final int SEGMENTS = 12;

  private final InternalApi api;
  private final SampleConversations samples;
  private final Journal journal;

  Pipeline(InternalApi api, UUID workspace, Journal journal) {
    this.api = api;
    this.samples = new SampleConversations(Instant.now().getEpochSecond(), workspace);
    this.journal = journal;
  }

  void finishOne() {
    JsonObject capture = samples.next(SEGMENTS);
    try {
      api.call("PUT", "/captures/" + UUID.randomUUID(), capture);
      journal.finished(capture.getString("title"));
    } catch (RuntimeException failure) {
      journal.notFinished(failure);
    }
  }
}
