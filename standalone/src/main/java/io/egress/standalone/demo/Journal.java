package io.egress.standalone.demo;

import io.egress.standalone.receiver.WebhookReceiver.Arrival;
import io.egress.standalone.receiver.WebhookVerifier.Verdict.Genuine;
import io.egress.standalone.receiver.WebhookVerifier.Verdict.Refused;
import java.io.PrintStream;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.TimeUnit;

/** The demo's output: a line for each event, and a summary at the end. */
final class Journal {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");
  private static final String LINE = "%-12s  %-8s  %-7s  %-8s  %-6s  %s%n";

  private final PrintStream out;
  private boolean begun;
  private int finished;
  private int accepted;
  private int verified;
  private int unverified;
  private int refused;
  private int recovered;

  Journal(PrintStream out) {
    this.out = out;
  }

  synchronized void begin() {
    begun = true;
    out.printf(LINE, "time", "where", "attempt", "verified", "answer", "capture");
  }

  synchronized void finished(String title) {
    finished++;
    out.printf("%-12s  %-8s  %-25s  %s%n", now(), "pipeline", "finished", title);
  }

  synchronized void notFinished(RuntimeException failure) {
    out.println("a capture could not be stored: " + failure.getMessage());
  }

  synchronized void arrived(Arrival arrival) {
    String endpoint = arrival.endpoint();
    switch (arrival.verdict()) {
      case Genuine genuine -> {
        verified++;
        refused += arrival.status() >= 300 ? 1 : 0;
        accepted += arrival.accepted() ? 1 : 0;
        recovered += arrival.recovered() ? 1 : 0;
        String title = genuine.data().getString("title");
        out.printf(LINE, now(), endpoint, arrival.attempt(), "yes", arrival.status(), title);
      }
      case Refused forged -> {
        unverified++;
        String shout = "!!! NOT VERIFIED: " + forged.reason();
        out.printf(LINE, now(), endpoint, "?", "NO", arrival.status(), shout);
      }
    }
    notifyAll();
  }

  /** Waits until every endpoint has accepted every capture, or the time is up. */
  synchronized void awaitArrivals(int endpoints, Duration patience) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    long leftMillis = patience.toMillis();
    while (accepted < endpoints * finished && leftMillis > 0) {
      wait(leftMillis);
      leftMillis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
  }

  /** Empty if nothing happened. */
  synchronized void summary() {
    if (!begun) {
      return;
    }
    out.printf(
        "%n%d captures finished, %d webhooks verified, %d of them refused with 503, %d recovered%s%n",
        finished,
        verified,
        refused,
        recovered,
        unverified == 0 ? "" : "; !!! " + unverified + " WEBHOOKS DID NOT VERIFY");
  }

  private static String now() {
    return TIME.format(LocalTime.now(ZoneId.systemDefault()));
  }
}
