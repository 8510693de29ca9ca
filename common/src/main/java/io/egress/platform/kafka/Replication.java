package io.egress.platform.kafka;

/**
 * The replication of topics.
 *
 * @param minInsync replicas that have a record when it is acknowledged
 */
record Replication(int factor, int minInsync) {
  private static final int FACTOR = 3;
  private static final int MIN_INSYNC = 2;

  /**
   * Three replicas of which two acknowledge, so that one broker can fail without a loss or a pause.
   * With two brokers, both have every record.
   */
  static Replication byBrokers(int brokers) {
    return new Replication(Math.min(FACTOR, brokers), Math.min(MIN_INSYNC, brokers));
  }
}
