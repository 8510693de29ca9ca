package io.egress.webhook.send;

import io.egress.platform.flow.LatestUsed;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Caches DNS results for a few seconds; concurrent lookups of a name share one query. Failures are
 * not cached. For one event loop only.
 */
final class CachedNameLookup implements NameLookup {
  private static final int MAX_NAMES = 10_000;

  private static final class Answer {
    final Future<List<InetAddress>> addresses;
    long arrivedNanos = Long.MAX_VALUE;

    Answer(Future<List<InetAddress>> addresses) {
      this.addresses = addresses;
    }
  }

  private final NameLookup origin;
  private final long keepNanos;
  private final LongSupplier nanoTime;
  private final Map<String, Answer> answers = new LatestUsed<>(MAX_NAMES);

  CachedNameLookup(NameLookup origin, Duration keep, LongSupplier nanoTime) {
    this.origin = origin;
    this.keepNanos = keep.toNanos();
    this.nanoTime = nanoTime;
  }

  @Override
  public Future<List<InetAddress>> addressesOf(String host) {
    Answer known = answers.get(host);
    if (known != null && !isStale(known)) {
      return known.addresses;
    }
    Answer answer = new Answer(origin.addressesOf(host));
    answers.put(host, answer);
    answer.addresses.onComplete(
        _ -> answer.arrivedNanos = nanoTime.getAsLong(), _ -> answers.remove(host, answer));
    return answer.addresses;
  }

  private boolean isStale(Answer answer) {
    return answer.addresses.isComplete() && nanoTime.getAsLong() - answer.arrivedNanos >= keepNanos;
  }
}
