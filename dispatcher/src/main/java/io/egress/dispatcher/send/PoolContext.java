package io.egress.dispatcher.send;

import io.egress.dispatcher.send.SenderSettings.PoolLimits;
import java.util.concurrent.atomic.AtomicInteger;

/** What the pools of an event loop share. */
record PoolContext(
    Connector connector, IdleConnections idle, PoolLimits limits, AtomicInteger openConnections) {
  long nanoTime() {
    return System.nanoTime();
  }
}
