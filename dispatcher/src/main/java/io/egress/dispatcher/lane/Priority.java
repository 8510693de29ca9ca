package io.egress.dispatcher.lane;

/** Within a lane every waiting {@code LIVE} record starts before any {@code BACKFILL} record. */
public enum Priority {
  LIVE,
  BACKFILL
}
