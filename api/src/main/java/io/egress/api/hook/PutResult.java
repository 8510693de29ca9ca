package io.egress.api.hook;

/** What became of one capture that was put. */
enum PutResult {
  CREATED,
  UPDATED,
  /** The same body as last time. */
  UNCHANGED,
  /** The capture belongs to another workspace, for ever. */
  OTHER_WORKSPACE
}
