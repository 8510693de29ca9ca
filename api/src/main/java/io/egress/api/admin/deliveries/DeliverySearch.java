package io.egress.api.admin.deliveries;

import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
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
  private record Wanted(
      @Nullable Predicate<LoggedDelivery> delivery,
      @Nullable String title,
      @Nullable DeliveryCursor after,
      int max,
      int rows) {
    /** Reads more rows at a time while nothing is owed. */
    Wanted wider(int rowsMax) {
      return new Wanted(delivery, title, after, max, Math.min(2 * rows, Math.max(rows, rowsMax)));
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
  private record Walked(List<LoggedDelivery> found, @Nullable DeliveryCursor reached) {}

  private static final String TITLED =
      "select id from captures where id = any($1) and strpos(lower(title), lower($2)) > 0";

  private final Pool pool;
  private final LoggedDeliveries log;
  private final OwedDeliveries owed;

  DeliverySearch(Pool pool, LoggedDeliveries log) {
    this.pool = pool;
    this.log = log;
    this.owed = new OwedDeliveries(pool, log);
  }

  /** {@code endpoints} belong to the workspace. */
  Future<Page> page(UUID workspaceId, List<Endpoint> endpoints, DeliveryFilter filter) {
    return owed.scope(workspaceId, endpoints, filter)
        .compose(scope ->
            scope.isEmpty()
                ? Future.succeededFuture(new Page(List.of(), null))
                : page(scope, filter));
  }

  /** Also finds a delivery without an outcome, provided its capture is among the newest ones. */
  Future<Optional<LoggedDelivery>> one(UUID workspaceId, List<Endpoint> endpoints, UUID id) {
    return log.one(workspaceId, id)
        .compose(found ->
            found.isPresent()
                ? Future.succeededFuture(found)
                : owed.scope(workspaceId, endpoints, DeliveryFilter.EVERYTHING)
                    .compose(scope -> withoutOutcome(scope, id, 0)));
  }

  /** The log does not have it, so its id is all that identifies it. */
  private Future<Optional<LoggedDelivery>> withoutOutcome(OwedScope scope, UUID id, int before) {
    int rows = lookedUp(scope);
    return owed.newest(scope, rows)
        .compose(window -> {
          Optional<LoggedDelivery> found =
              window.owed().stream().filter(each -> each.id().equals(id)).findFirst();
          int computed = before + rows + window.owed().size();
          return found.isPresent() || window.isLast() || computed >= COMPUTED_MAX
              ? Future.succeededFuture(found)
              : withoutOutcome(scope.upTo(window.lowest() - 1), id, computed);
        });
  }

  /** All deliveries of one capture. */
  Future<List<LoggedDelivery>> ofCapture(
      UUID workspaceId, List<Endpoint> endpoints, UUID captureId) {
    return owed.scope(workspaceId, endpoints, DeliveryFilter.ofCapture(captureId))
        .compose(scope ->
            scope.isEmpty()
                ? Future.succeededFuture(List.of())
                : owed.newest(scope, 1)
                    .compose(window ->
                        log.complete(window.owed())
                            .compose(first ->
                                replayed(scope.endpointIds(), scope)
                                    .map(again -> both(first, again)))));
  }

  private Future<Page> page(OwedScope scope, DeliveryFilter filter) {
    DeliveryState state = filter.state();
    int limit = filter.limit();
    if (filter.isNarrow()) {
      return walk(scope, narrow(scope, filter)).map(walked -> cut(walked, limit));
    }
    if (state == null) {
      int rows = limit / scope.endpoints().size() + 2;
      return walk(scope, new Wanted(null, null, filter.after(), limit, rows))
          .map(walked -> cut(walked, limit));
    }
    return switch (state) {
      case DELIVERED -> walk(scope, filter, state).map(found -> cut(found, limit));
      case EXHAUSTED, SKIPPED ->
          undelivered(scope, filter, state).map(found -> cut(new Walked(found, null), limit));
      case PENDING -> {
        Future<Walked> walked = walk(scope, filter, state);
        yield undelivered(scope, filter, state)
            .compose(retried -> walked.map(found -> cut(merged(retried, found), limit)));
      }
    };
  }

  private Future<Walked> walk(OwedScope scope, DeliveryFilter filter, DeliveryState state) {
    return walk(
        scope,
        new Wanted(
            each -> each.state() == state, null, filter.after(), filter.limit(), lookedUp(scope)));
  }

  private static Wanted narrow(OwedScope scope, DeliveryFilter filter) {
    DeliveryState state = filter.state();
    String outcome = filter.outcome();
    return new Wanted(
        each ->
            (state == null || each.state() == state)
                && (outcome == null || outcome.equals(each.lastOutcome())),
        filter.title(),
        filter.after(),
        filter.limit(),
        lookedUp(scope));
  }

  private Future<List<LoggedDelivery>> undelivered(
      OwedScope scope, DeliveryFilter filter, DeliveryState state) {
    DeliveryCursor asked = filter.after();
    DeliveryCursor after =
        asked != null && asked.position() == scope.high()
            ? asked
            : DeliveryCursor.behind(scope.high() + 1);
    return log.undelivered(
        new LoggedDeliveries.Range(
            scope.endpointIds(), scope.low(), scope.high(), after.endpointId(), after.id()),
        state,
        filter.limit() + 1);
  }

  private Future<Walked> walk(OwedScope scope, Wanted wanted) {
    return walk(scope, wanted, new ArrayList<>(), 0);
  }

  private Future<Walked> walk(
      OwedScope scope, Wanted wanted, List<LoggedDelivery> found, int lookedAt) {
    return owed.newest(scope, wanted.rows(), wanted.part(found.size()))
        .compose(window ->
            made(scope, window, wanted)
                .compose(made -> titled(made, wanted))
                .compose(made -> {
                  made.stream().filter(wanted::includes).forEach(found::add);
                  int looked = lookedAt + wanted.rows() + window.owed().size();
                  if (window.isLast()) {
                    return Future.succeededFuture(new Walked(found, null));
                  }
                  return found.size() > wanted.max() || looked >= LOOKED_AT_MAX
                      ? Future.succeededFuture(
                          new Walked(found, DeliveryCursor.behind(window.lowest())))
                      : walk(
                          scope.upTo(window.lowest() - 1),
                          wanted.wider(lookedUp(scope)),
                          found,
                          looked);
                }));
  }

  private Future<List<LoggedDelivery>> titled(List<LoggedDelivery> made, Wanted wanted) {
    String title = wanted.title();
    if (title == null || made.isEmpty()) {
      return Future.succeededFuture(made);
    }
    UUID[] captureIds =
        made.stream()
            .filter(wanted::includes)
            .map(LoggedDelivery::captureId)
            .distinct()
            .toArray(UUID[]::new);
    return pool.preparedQuery(TITLED)
        .execute(Tuple.of(captureIds, title))
        .map(rows -> {
          Set<UUID> titled = new HashSet<>();
          rows.forEach(row -> titled.add(row.getUUID("id")));
          return made.stream().filter(each -> titled.contains(each.captureId())).toList();
        });
  }

  /** The first deliveries of the captures in the window, and those of replays. */
  private Future<List<LoggedDelivery>> made(
      OwedScope scope, OwedDeliveries.Window window, Wanted wanted) {
    OwedScope read =
        new OwedScope(scope.workspaceId(), scope.endpoints(), window.lowest() - 1, scope.high());
    return log.complete(window.owed())
        .compose(first ->
            replayed(replayedTo(read, window, wanted), read)
                .map(replayed -> both(first, replayed.stream().filter(wanted::isBehind).toList())));
  }

  /**
   * The endpoints whose replays may be part of the window: if that is cut within its first row,
   * only those between its ends.
   */
  private static List<UUID> replayedTo(
      OwedScope read, OwedDeliveries.Window window, Wanted wanted) {
    if (!window.isCut() || window.lowest() < read.high()) {
      return read.endpointIds();
    }
    DeliveryCursor after = wanted.after();
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

  private Future<List<LoggedDelivery>> replayed(List<UUID> endpointIds, OwedScope read) {
    return log.replayed(endpointIds, read.low(), read.high());
  }

  private static List<LoggedDelivery> both(
      List<LoggedDelivery> first, List<LoggedDelivery> replayed) {
    return Stream.concat(first.stream(), replayed.stream()).toList();
  }

  /**
   * Leaves out entries of {@code retried} after the position reached, which belong to a later page.
   */
  private static Walked merged(List<LoggedDelivery> retried, Walked walked) {
    DeliveryCursor reached = walked.reached();
    Stream<LoggedDelivery> before =
        retried.stream()
            .filter(each -> reached == null || DeliveryCursor.of(each).compareTo(reached) < 0);
    return new Walked(Stream.concat(before, walked.found().stream()).distinct().toList(), reached);
  }

  private static Page cut(Walked walked, int limit) {
    List<LoggedDelivery> sorted =
        walked.found().stream().sorted(Comparator.comparing(DeliveryCursor::of)).toList();
    if (sorted.size() <= limit) {
      return new Page(sorted, walked.reached());
    }
    List<LoggedDelivery> first = sorted.subList(0, limit);
    return new Page(first, DeliveryCursor.of(first.get(limit - 1)));
  }

  private static int lookedUp(OwedScope scope) {
    return Math.max(1, LOOKED_UP_MAX / Math.max(1, scope.endpoints().size()));
  }
}
