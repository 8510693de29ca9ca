package io.egress.api.hook;

import io.egress.platform.http.Refusal;
import org.jspecify.annotations.Nullable;

/** The result of storing one capture. */
enum PutResult {
  CREATED,
  UPDATED,
  /** The same body as last time. */
  UNCHANGED,
  /** The id is taken by another workspace, permanently. */
  OTHER_WORKSPACE(409, "workspace_id: the capture belongs to another workspace"),
  /** The capture was erased, permanently. */
  ERASED(410, "the capture was erased"),
  /** Nothing is added to its workspace anymore. */
  ENDED(410, "the workspace has ended");

  private final int status;
  private final @Nullable String reason;

  PutResult() {
    this(200, null);
  }

  PutResult(int status, @Nullable String reason) {
    this.status = status;
    this.reason = reason;
  }

  /** Null if the capture is stored. */
  @Nullable Refusal refusal() {
    return reason == null ? null : new Refusal(status, reason);
  }
}
