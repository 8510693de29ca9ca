package io.egress.bench.fuzz;

import java.util.List;
import java.util.Random;

/**
 * Mutates a receiver's responses to webhooks. The pieces of a response are sent one after the
 * other.
 */
final class AnswerMutator {
  /**
   * A response.
   *
   * @param readsFirst whether the request is read first
   * @param tail sent {@code tails} times after the head
   * @param closes whether the receiver closes the connection afterwards, rather than the service
   */
  record Mutated(boolean readsFirst, String head, String tail, int tails, boolean closes) {}

  private static final List<String> ANSWERS =
      List.of(
          "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
          "HTTP/1.1 204 No Content\r\n\r\n",
          "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
          "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 99999999999\r\n\r\n",
          "HTTP/1.1 301 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
          "HTTP/1.1 410 Gone\r\nconnection: close\r\n\r\ngone",
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
          "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
          "HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello",
          "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nok",
          "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
          "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n",
          "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
          "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
          "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n",
          "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
          "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\n\u001f\u008b\u0008",
          "HTTP/1.1 000 \r\n\r\n",
          "HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n",
          "HTTP/1.1 99999999999 Odd\r\n\r\n",
          "HTTP/1.1 -200 OK\r\n\r\n",
          "HTTP/0.9 200 OK\r\n\r\n",
          "HTTP/2.0 200 OK\r\n\r\n",
          "HTTP/1.1 200\r\n\r\n",
          "\r\n\r\n\r\n",
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
          "\u0016\u0003\u0001\u0002\u0000\u0001");
  private static final List<String> TAILS =
      List.of(
          "HTTP/1.1 100 Continue\r\n\r\n",
          "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n",
          "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
          "x: " + "y".repeat(500) + "\r\n",
          "x".repeat(1_000),
          "400\r\n" + "x".repeat(1_024) + "\r\n",
          "\u0000".repeat(100),
          "\r\n");
  private static final int TAILS_MAX = 2_000;

  private final Random random;

  AnswerMutator(Random random) {
    this.random = random;
  }

  Mutated next() {
    String head = pick(ANSWERS);
    String tail = pick(TAILS);
    switch (random.nextInt(6)) {
      case 0 -> head = "";
      case 1 -> head = "HTTP/1.1 200 OK\r\n";
      case 2 -> head = flipped(head);
      case 3 -> head = head.substring(0, random.nextInt(head.length()));
      default -> {
        // Unchanged.
      }
    }
    int tails = random.nextInt(3) == 0 ? random.nextInt(TAILS_MAX) : 0;
    return new Mutated(
        random.nextInt(5) > 0,
        head,
        tail,
        tails,
        head.length() + tails == 0 || random.nextBoolean());
  }

  private String pick(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }

  private String flipped(String text) {
    StringBuilder changed = new StringBuilder(text);
    for (int i = random.nextInt(4); i >= 0; i--) {
      changed.setCharAt(random.nextInt(changed.length()), (char) random.nextInt(256));
    }
    return changed.toString();
  }
}
