package io.egress.dispatcher.consume;

import org.apache.kafka.common.errors.WakeupException;

/** A consumer that is to stop is woken up from what it waits for, and says so once. */
public final class Wakeups {
  private Wakeups() {}

  /** For what is to be done even then, and may be begun anew. */
  public static void outlast(Runnable work) {
    try {
      work.run();
    } catch (WakeupException woken) {
      work.run();
    }
  }
}
