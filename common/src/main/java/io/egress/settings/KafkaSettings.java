package io.egress.settings;

import io.egress.kafka.Topics;

/** A replication of -1 leaves the factor to the brokers. */
public record KafkaSettings(String bootstrap, Topics topics, int partitions, short replication) {}
