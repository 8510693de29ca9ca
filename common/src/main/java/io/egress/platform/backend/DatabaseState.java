package io.egress.platform.backend;

/** What PostgreSQL can be used for. */
public enum DatabaseState {
  WRITABLE,
  /** It answers, but is read-only, or its commits hang: no other process can write, either. */
  READ_ONLY,
  UNAVAILABLE
}
