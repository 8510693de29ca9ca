package io.egress.kafka;

import static java.util.Objects.requireNonNull;

/** The names of the service's topics, all below one prefix. */
public record Topics(String prefix) {
  public Topics {
    requireNonNull(prefix, "prefix is null");
  }

  /** Every capture that entered the stream, keyed by workspace. */
  public String capturesProcessed() {
    return prefix + "captures.processed";
  }

  /** One record per endpoint and capture, keyed by endpoint, as are all the delivery topics. */
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

  /** The consumers of captures. */
  public String fanOutGroup() {
    return prefix + "fanout";
  }

  /** The consumers of deliveries. */
  public String dispatcherGroup() {
    return prefix + "dispatcher";
  }

  /** {@code delay} as the schedule writes it, for instance {@code 15m}. */
  public String retry(String delay) {
    return deliveries() + ".retry." + delay;
  }
}
