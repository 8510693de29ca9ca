package io.egress.api.admin.deliveries;

import io.egress.api.admin.captures.Captures;
import io.egress.api.call.Turns;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds deliveries, newest captures first. A page costs the same at any depth: the stream is read
 * from the position of the previous page's end, and the log entries of its captures are looked up
 * by their computed ids. Undelivered deliveries have an index of their own.
 */
final class DeliverySearch {
  /**
   * The most owed deliveries examined for one page. A page that reaches this limit may hold fewer
   * entries than asked for.
   */
  private static final int LOOKED_AT_MAX = 20_000;

  /** Owed deliveries looked up in the log per statement. */
  static final int LOOKED_UP_MAX = 2_000;

  /** Owed deliveries whose ids are computed to find one that the log does not have. */
  private static final int COMPUTED_MAX = 100_000;

  /** {@code next} is null on the last page. */
  record Page(List<LoggedDelivery> deliveries, @Nullable DeliveryCursor next) {}

  /**
   * A search that reads the stream.
   *
   * @param delivery null for all of them
   * @param title only of captures whose title contains this
   * @param after only deliveries after this position
   * @param max reading stops once this many are found
   */
  private record Query(
      @Nullable Predicate<LoggedDelivery> delivery,
      @Nullable String title,
      @Nullable DeliveryCursor after,
      int max,
      int rows) {
    /** Reads more rows at a time while nothing is owed. */
    Query wider(int rowsMax) {
      return new Query(delivery, title, after, max, Math.min(2 * rows, Math.max(rows, rowsMax)));
    }

    /** Of what is read next. If everything is wanted, no more than that has to be looked up. */
    OwedDeliveries.Part part(int found) {
      return new OwedDeliveries.Part(after, delivery == null ? max + 1 - found : Integer.MAX_VALUE);
    }

    boolean includes(LoggedDelivery each) {
      return delivery == null || delivery.test(each);
    }

    boolean isBehind(LoggedDelivery each) {
      return after == null || DeliveryCursor.of(each).compareTo(after) > 0;
    }
  }

  /** {@code reached} is null at the end of the stream. */
  private record Walk(List<LoggedDelivery> found, @Nullable DeliveryCursor reached) {}

  private final Captures captures;
  private final LoggedDeliveries log;
  private final OwedDeliveries owed;
  private final Turns turns;

  DeliverySearch(Captures captures, OwedDeliveries owed, LoggedDeliveries log, Turns turns) {
    this.captures = captures;
    this.owed = owed;
    this.log = log;
    this.turns = turns;
  }

  /** {@code endpoints} belong to the workspace. */
  Page page(UUID workspaceId, List<Endpoint> endpoints, DeliveryFilter filter) {
    OwedScope scope = owed.scope(workspaceId, endpoints, filter);
    return scope.isEmpty() ? new Page(List.of(), null) : page(scope, filter);
  }

  /**
   * A first delivery that the log does not have, so that its id is all that identifies it. Found if
   * its capture is among the newest ones.
   */
  Optional<LoggedDelivery> withoutOutcome(UUID workspaceId, List<Endpoint> endpoints, UUID id) {
    OwedScope scope = owed.scope(workspaceId, endpoints, DeliveryFilter.EVERYTHING);
    int rows = lookedUp(scope);
    int computed = 0;
    while (true) {
      OwedDeliveries.Window window = owed.newest(scope, rows);
      Optional<LoggedDelivery> found =
          window.owed().stream().filter(each -> each.id().equals(id)).findFirst();
      computed += rows + window.owed().size();
      if (found.isPresent() || window.isLast() || computed >= COMPUTED_MAX) {
        return found;
      }
      scope = scope.upTo(window.lowest() - 1);
    }
  }

  /** All deliveries of one capture. */
  List<LoggedDelivery> ofCapture(UUID workspaceId, List<Endpoint> endpoints, UUID captureId) {
    OwedScope scope = owed.scope(workspaceId, endpoints, DeliveryFilter.ofCapture(captureId));
    if (scope.isEmpty()) {
      return List.of();
    }
    List<LoggedDelivery> first = log.complete(owed.newest(scope, 1).owed()).await();
    return joined(first, replayed(scope.endpointIds(), scope));
  }

  private Page page(OwedScope scope, DeliveryFilter filter) {
    DeliveryState state = filter.state();
    int limit = filter.limit();
    if (filter.isNarrow()) {
      return cut(walk(scope, narrow(scope, filter)), limit);
    }
    if (state == null) {
      int rows = limit / scope.endpoints().size() + 2;
      return cut(walk(scope, new Query(null, null, filter.after(), limit, rows)), limit);
    }
    Walk walk =
        switch (state) {
          case DELIVERED -> walk(scope, filter, state);
          case EXHAUSTED, SKIPPED, SUPERSEDED -> new Walk(undelivered(scope, filter, state), null);
          case PENDING -> merged(undelivered(scope, filter, state), walk(scope, filter, state));
        };
    return cut(walk, limit);
  }

  private Walk walk(OwedScope scope, DeliveryFilter filter, DeliveryState state) {
    return walk(
        scope,
        new Query(
            each -> each.state() == state, null, filter.after(), filter.limit(), lookedUp(scope)));
  }

  private static Query narrow(OwedScope scope, DeliveryFilter filter) {
    DeliveryState state = filter.state();
    String outcome = filter.outcome();
    return new Query(
        each ->
            (state == null || each.state() == state)
                && (outcome == null || outcome.equals(each.lastOutcome())),
        filter.title(),
        filter.after(),
        filter.limit(),
        lookedUp(scope));
  }

  private List<LoggedDelivery> undelivered(
      OwedScope scope, DeliveryFilter filter, DeliveryState state) {
    DeliveryCursor given = filter.after();
    DeliveryCursor after =
        given != null && given.position() == scope.high()
            ? given
            : DeliveryCursor.behind(scope.high() + 1);
    return log.undelivered(
            new LoggedDeliveries.Range(
                scope.endpointIds(), scope.low(), scope.high(), after.endpointId(), after.id()),
            state,
            filter.limit() + 1)
        .await();
  }

  private Walk walk(OwedScope whole, Query first) {
    OwedScope scope = whole;
    Query next = first;
    List<LoggedDelivery> found = new ArrayList<>();
    int lookedAt = 0;
    while (true) {
      OwedScope read = scope;
      Query query = next;
      OwedDeliveries.Part part = next.part(found.size());
      Looked looked =
          next.delivery() == null
              ? look(read, query, part)
              : turns.take(() -> look(read, query, part));
      found.addAll(looked.found());
      OwedDeliveries.Window window = looked.window();
      lookedAt += next.rows() + window.owed().size();
      if (window.isLast()) {
        return new Walk(found, null);
      }
      if (found.size() > next.max() || lookedAt >= LOOKED_AT_MAX) {
        return new Walk(found, DeliveryCursor.behind(window.lowest()));
      }
      next = next.wider(lookedUp(scope));
      scope = scope.upTo(window.lowest() - 1);
    }
  }

  /** What a part of the scope has of what is looked for. */
  private record Looked(OwedDeliveries.Window window, List<LoggedDelivery> found) {}

  private Looked look(OwedScope scope, Query query, OwedDeliveries.Part part) {
    OwedDeliveries.Window window = owed.newest(scope, query.rows(), part);
    return new Looked(
        window,
        titled(made(scope, window, query), query).stream().filter(query::includes).toList());
  }

  private List<LoggedDelivery> titled(List<LoggedDelivery> made, Query query) {
    String title = query.title();
    if (title == null || made.isEmpty()) {
      return made;
    }
    Set<UUID> titled =
        captures.titled(
            made.stream().filter(query::includes).map(LoggedDelivery::captureId).toList(), title);
    return made.stream().filter(each -> titled.contains(each.captureId())).toList();
  }

  /** The first deliveries of the captures in the window, and those of replays. */
  private List<LoggedDelivery> made(OwedScope scope, OwedDeliveries.Window window, Query query) {
    OwedScope read =
        new OwedScope(scope.workspaceId(), scope.endpoints(), window.lowest() - 1, scope.high());
    List<LoggedDelivery> first = log.complete(window.owed()).await();
    List<LoggedDelivery> replayed =
        replayed(replayedTo(read, window, query), read).stream().filter(query::isBehind).toList();
    return joined(first, replayed);
  }

  /**
   * The endpoints whose replays may be part of the window: if that is cut within its first row,
   * only those between its ends.
   */
  private static List<UUID> replayedTo(OwedScope read, OwedDeliveries.Window window, Query query) {
    if (!window.isCut() || window.lowest() < read.high()) {
      return read.endpointIds();
    }
    DeliveryCursor after = query.after();
    UUID first =
        after != null && after.position() == window.lowest()
            ? after.endpointId()
            : DeliveryCursor.FIRST_ID;
    UUID last = window.owed().get(window.owed().size() - 1).endpointId();
    return read.endpointIds().stream()
        .filter(
            id -> DeliveryCursor.compare(id, first) >= 0 && DeliveryCursor.compare(id, last) <= 0)
        .toList();
  }

  private List<LoggedDelivery> replayed(List<UUID> endpointIds, OwedScope read) {
    return log.replayed(endpointIds, read.low(), read.high()).await();
  }

  private static List<LoggedDelivery> joined(
      List<LoggedDelivery> first, List<LoggedDelivery> replayed) {
    return Stream.concat(first.stream(), replayed.stream()).toList();
  }

  /**
   * Leaves out entries of {@code retried} after the position reached, which belong to a later page.
   */
  private static Walk merged(List<LoggedDelivery> retried, Walk walk) {
    DeliveryCursor reached = walk.reached();
    Stream<LoggedDelivery> before =
        retried.stream()
            .filter(each -> reached == null || DeliveryCursor.of(each).compareTo(reached) < 0);
    return new Walk(Stream.concat(before, walk.found().stream()).distinct().toList(), reached);
  }

  private static Page cut(Walk walk, int limit) {
    List<LoggedDelivery> sorted =
        walk.found().stream().sorted(Comparator.comparing(DeliveryCursor::of)).toList();
    if (sorted.size() <= limit) {
      return new Page(sorted, walk.reached());
    }
    List<LoggedDelivery> first = sorted.subList(0, limit);
    return new Page(first, DeliveryCursor.of(first.get(limit - 1)));
  }

  private static int lookedUp(OwedScope scope) {
    return Math.max(1, LOOKED_UP_MAX / Math.max(1, scope.endpoints().size()));
  }
}
