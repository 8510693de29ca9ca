package io.egress.embedded;

/** What a server does so that acknowledged writes outlive a power failure. */
public enum Durability {
  /** PostgreSQL syncs every commit; Kafka, which acknowledges from memory, syncs every second. */
  SYNCED,
  /** Nothing is synced: for data that is thrown away. It still survives a killed process. */
  UNSYNCED
}
