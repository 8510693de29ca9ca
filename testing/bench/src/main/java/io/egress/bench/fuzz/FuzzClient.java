package io.egress.bench.fuzz;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Opens one connection after the other to a listener, and sends a series of shots on each. */
final class FuzzClient implements Runnable {
  private static final int ANSWER_MILLIS_MAX = 60_000;

  /** How long to wait for a response to a possibly incomplete request. */
  private static final int MAYBE_MILLIS_MAX = 200;

  private static final int SHOTS_PER_CONNECTION_MAX = 100;
  private static final int ABANDONED_MAX = 4;
  private static final int SHOTS_SHOWN = 3;

  /** One connection of these is half-closed, and one is never read. */
  private static final int KINDS = 10;

  private final String name;
  private final int port;
  private final RequestMutator mutator;
  private final Random random;
  private final AtomicLong left;
  private final Findings findings;
  private final Deque<Shot> recent = new ArrayDeque<>();

  FuzzClient(
      String name,
      int port,
      RequestMutator mutator,
      Random random,
      AtomicLong left,
      Findings findings) {
    this.name = name;
    this.port = port;
    this.mutator = mutator;
    this.random = random;
    this.left = left;
    this.findings = findings;
  }

  @Override
  public void run() {
    while (left.get() > 0) {
      recent.clear();
      try (RawConnection connection = new RawConnection(port)) {
        switch (random.nextInt(KINDS)) {
          case 0 -> useHalfClosed(connection);
          case 1 -> abandon(connection);
          default -> use(connection);
        }
      } catch (IOException refused) {
        findings.violation(name + ": a connection failed: " + refused);
      }
    }
  }

  /**
   * Uses the connection until either side closes it, or responses can no longer be matched to
   * requests.
   */
  private void use(RawConnection connection) {
    int shots = 1 + random.nextInt(SHOTS_PER_CONNECTION_MAX);
    boolean inStep = true;
    while (shots-- > 0 && left.getAndDecrement() > 0) {
      Shot shot = mutator.next();
      remember(shot);
      inStep &= shot.answered();
      if (!fire(connection, shot, inStep)) {
        return;
      }
    }
  }

  /** Closes the sending direction after one request: it is answered, and the connection ends. */
  private void useHalfClosed(RawConnection connection) throws IOException {
    Shot shot = mutator.next();
    left.decrementAndGet();
    remember(shot);
    try {
      connection.send(shot.bytes());
      connection.endOutput();
    } catch (IOException closed) {
      findings.count("closed while sending");
      return;
    }
    if (!shot.answered() || shot.mayLeaveHttp1()) {
      return;
    }
    try {
      Answer answer = connection.read(ANSWER_MILLIS_MAX, shot.mayBeHead());
      findings.count("answers to half-closed clients");
      answer.fault().ifPresent(this::violation);
      if (!shot.mayBeHead() && !connection.ends(ANSWER_MILLIS_MAX)) {
        violation("more than one answer to a half-closed client");
      }
    } catch (IOException none) {
      violation("a half-closed client got no whole answer: " + none);
    }
  }

  /** Sends several requests, reads nothing, and disconnects. */
  private void abandon(RawConnection connection) {
    try {
      for (int i = random.nextInt(ABANDONED_MAX); i >= 0; i--) {
        connection.send(new Shot(mutator.unread(), false).bytes());
        left.decrementAndGet();
      }
      if (random.nextBoolean()) {
        connection.reset();
      }
    } catch (IOException closed) {
      findings.count("closed while sending");
    }
    findings.count("abandoned connections");
  }

  private void remember(Shot shot) {
    recent.addLast(shot);
    if (recent.size() > SHOTS_SHOWN) {
      recent.removeFirst();
    }
  }

  private boolean fire(RawConnection connection, Shot shot, boolean inStep) {
    try {
      connection.send(shot.bytes());
    } catch (IOException closed) {
      // The service may answer and close before the request is complete.
      findings.count("closed while sending");
    }
    boolean mayBeHead = recent.stream().anyMatch(Shot::mayBeHead);
    try {
      Answer answer;
      do {
        answer = connection.read(inStep ? ANSWER_MILLIS_MAX : MAYBE_MILLIS_MAX, mayBeHead);
        findings.count("status " + answer.status());
        answer.fault().ifPresent(this::violation);
      } while (!mayBeHead && !inStep && connection.hasMore());
      return !answer.isLast() && !mayBeHead && !shot.mayLeaveHttp1();
    } catch (SocketTimeoutException none) {
      findings.count("no answer");
      if (inStep) {
        violation("no answer within " + ANSWER_MILLIS_MAX + " ms");
      }
    } catch (RawConnection.NoAnswerException garbled) {
      findings.count("not HTTP/1.1");
      if (recent.stream().noneMatch(Shot::mayLeaveHttp1)) {
        violation("not an answer: " + garbled.getMessage());
      }
    } catch (EOFException closed) {
      findings.count("closed");
      if (inStep && !shot.mayLeaveHttp1()) {
        violation("closed without a whole answer: " + closed.getMessage());
      }
    } catch (IOException reset) {
      findings.count("reset");
      if (inStep && !shot.mayLeaveHttp1()) {
        violation("reset without a whole answer: " + reset.getMessage());
      }
    }
    return false;
  }

  private void violation(String what) {
    StringBuilder all = new StringBuilder(name + ": " + what + "\n  sent, the last of it last:");
    recent.forEach(shot -> all.append("\n  ").append(shot.shown()));
    findings.violation(all.toString());
  }
}
