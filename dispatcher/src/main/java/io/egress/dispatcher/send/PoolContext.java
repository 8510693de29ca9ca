package io.egress.dispatcher.send;

import io.egress.dispatcher.send.SenderSettings.PoolLimits;
import java.util.concurrent.atomic.AtomicInteger;

/** What the pools of all endpoints share. */
record PoolContext(
    Connector connector,
    IdleConnections idle,
    PoolLimits limits,
    BodyBuffers bodies,
    AtomicInteger openConnections) {
  long nanoTime() {
    return System.nanoTime();
  }
}
