package io.egress.platform.backend;

/** What PostgreSQL can be used for. */
public enum DatabaseState {
  TAKES_WRITES,
  /** It answers, but is read-only, or its commits hang: no other process can write, either. */
  ONLY_READS,
  AWAY
}
