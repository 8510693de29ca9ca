package io.egress.webhook.queue;

/** The names of the service's topics, which share a prefix. */
public record Topics(String prefix) {
  /** Every capture that entered the stream, keyed by workspace. */
  public String capturesProcessed() {
    return prefix + "captures.processed";
  }

  /** One record per endpoint and capture. All delivery topics are keyed by endpoint. */
  public String deliveries() {
    return prefix + "deliveries";
  }

  public String backfill() {
    return deliveries() + ".backfill";
  }

  public String parked() {
    return deliveries() + ".parked";
  }

  public String exhausted() {
    return deliveries() + ".exhausted";
  }

  /** The consumer group for captures. */
  public String fanOutGroup() {
    return prefix + "fanout";
  }

  /** The consumer group for deliveries. */
  public String dispatcherGroup() {
    return prefix + "dispatcher";
  }

  /** {@code delay} in the format of the schedule, for instance {@code 15m}. */
  public String retry(String delay) {
    return deliveries() + ".retry." + delay;
  }
}
