package io.egress.settings;

/** A replication of -1 leaves the factor to the brokers. */
public record KafkaSettings(
    String bootstrap, String topicPrefix, int partitions, short replication) {}
