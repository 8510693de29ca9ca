package io.egress.dispatcher.lane;

/** How an attempt ended, as far as the concurrency limit of its endpoint is concerned. */
public enum Completion {
  /** A 2xx: more concurrency may be possible, if it was fast. */
  DELIVERED,

  /**
   * Any other status. The endpoint is alive, so this is not slowness; but how fast an endpoint
   * rejects requests says nothing about its capacity, and a 429 or 503 says the contrary.
   */
  REFUSED,

  /** Timeout, or no connection: the limit decreases. */
  UNANSWERED,

  /** Aborted by this side (shutdown, revocation): says nothing about the endpoint. */
  ABORTED
}
