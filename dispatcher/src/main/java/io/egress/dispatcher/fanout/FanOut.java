package io.egress.dispatcher.fanout;

import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.EndpointStore;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.trace.Tracing;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Publishes a delivery of a capture for every endpoint created before it. Repeating this publishes
 * the same deliveries, with the same ids.
 */
final class FanOut {
  /** Deliveries published per batch; a capture may have thousands of endpoints. */
  private static final int PUBLISHED_MAX = 10_000;

  private final EndpointStore endpoints;
  private final RecordPublisher publisher;
  private final Topics topics;
  private final FanOutMeters meters;
  private final Tracing tracing;

  FanOut(
      EndpointStore endpoints,
      RecordPublisher publisher,
      Topics topics,
      FanOutMeters meters,
      Tracing tracing) {
    this.endpoints = endpoints;
    this.publisher = publisher;
    this.topics = topics;
    this.meters = meters;
    this.tracing = tracing;
  }

  /** Completes once all deliveries are acknowledged. */
  Future<Void> owe(List<ProcessedCapture> captures) {
    return endpoints
        .forWorkspaces(
            captures.stream().map(ProcessedCapture::workspaceId).collect(Collectors.toSet()))
        .compose(targets -> publish(captures, 0, targets))
        .onSuccess(_ -> meters.owed(captures));
  }

  private Future<Void> publish(
      List<ProcessedCapture> captures, int from, Map<UUID, List<EndpointTarget>> targets) {
    List<Message> messages = new ArrayList<>();
    Tracing.Batch traced = tracing.batch();
    int next = from;
    while (next < captures.size() && messages.size() < PUBLISHED_MAX) {
      ProcessedCapture capture = captures.get(next++);
      String parent = traced.fanOut(capture, topics.capturesProcessed());
      for (EndpointTarget target : targets.getOrDefault(capture.workspaceId(), List.of())) {
        if (target.isLiveAt(capture.position())) {
          messages.add(message(capture, target, parent));
        }
      }
    }
    int reached = next;
    Future<Void> published =
        publisher
            .publish(messages)
            .onComplete(traced::end)
            .onSuccess(_ -> meters.made(messages.size()));
    return reached == captures.size()
        ? published
        : published.compose(_ -> publish(captures, reached, targets));
  }

  private Message message(
      ProcessedCapture capture, EndpointTarget target, @Nullable String parent) {
    Delivery delivery =
        target.owed().first(capture.position(), capture.captureId(), capture.enteredAt());
    return new Message(topics.deliveries(), target.id().toString(), delivery.encode(), parent);
  }
}
