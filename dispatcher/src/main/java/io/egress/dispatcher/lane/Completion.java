package io.egress.dispatcher.lane;

/** How an attempt ended, as far as the pace of its endpoint is concerned. */
public enum Completion {
  /** A 2xx: more at once may be possible, if it came fast. */
  DELIVERED,

  /**
   * Any other status: the endpoint is alive, so this is no slowness; but how fast an endpoint
   * refuses says nothing about how much it can take, and a 429 or 503 says the contrary.
   */
  REFUSED,

  /** Timeout, or no connection: less at once. */
  UNANSWERED,

  /** Given up by ourselves (shutdown, revocation): says nothing about the endpoint. */
  ABORTED
}
