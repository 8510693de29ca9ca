package io.egress.dispatcher.metrics;

import io.egress.webhook.queue.Topics;

/** Names topics in metrics by the stage of their deliveries. */
public final class Stages {
  private final Topics topics;

  public Stages(Topics topics) {
    this.topics = topics;
  }

  /** {@code 15m} for a retry topic, {@code backfill}, {@code parked}; otherwise {@code first}. */
  public String of(String topic) {
    if (topic.equals(topics.capturesProcessed())) {
      return "captures";
    }
    String retry = topics.retry("");
    if (topic.startsWith(retry)) {
      return topic.substring(retry.length());
    }
    String below = topics.deliveries() + ".";
    return topic.startsWith(below) ? topic.substring(below.length()) : "first";
  }
}
