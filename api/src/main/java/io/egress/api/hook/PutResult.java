package io.egress.api.hook;

/** The result of storing one capture. */
enum PutResult {
  CREATED,
  UPDATED,
  /** The same body as last time. */
  UNCHANGED,
  /** The id is taken by another workspace, permanently. */
  OTHER_WORKSPACE
}
