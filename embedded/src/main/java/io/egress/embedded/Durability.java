package io.egress.embedded;

/** Whether acknowledged writes survive a power failure. */
public enum Durability {
  /** PostgreSQL syncs every commit; Kafka, which acknowledges from memory, syncs every second. */
  SYNCED,
  /** Nothing is synced, for disposable data. It still survives a killed process. */
  UNSYNCED
}
