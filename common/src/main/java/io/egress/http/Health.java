package io.egress.http;

import static java.util.Objects.requireNonNull;

import io.egress.metrics.EventLoops;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Live: every event loop runs. Ready: all required dependencies are up. Both answer within a
 * second.
 */
public final class Health {
  private static final long CHECK_MILLIS_MAX = 700;

  /** From best to worst. */
  public enum State {
    UP,
    /** Unavailable, but not required. */
    AWAY,
    DOWN;

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A check of a dependency.
   *
   * @param otherwise the state if the check fails or times out
   */
  public record Check(String name, Supplier<Future<State>> check, State otherwise) {
    public Check {
      requireNonNull(name, "name is null");
      requireNonNull(check, "check is null");
      requireNonNull(otherwise, "otherwise is null");
    }

    /** A required dependency. */
    public static Check needed(String name, Supplier<? extends Future<?>> question) {
      return new Check(name, () -> question.get().map(answered -> State.UP), State.DOWN);
    }

    /** A dependency that is not required at the moment. */
    public static Check missable(String name, Supplier<? extends Future<?>> question) {
      return new Check(name, () -> question.get().map(answered -> State.UP), State.AWAY);
    }

    /** A state that is known without a check. */
    public static Check known(String name, Supplier<State> state) {
      return new Check(name, () -> Future.succeededFuture(state.get()), State.DOWN);
    }
  }

  private final EventLoops eventLoops;
  private final @Nullable Health whole;
  private final List<Check> checks = new CopyOnWriteArrayList<>();

  private Health(EventLoops eventLoops, @Nullable Health whole) {
    this.eventLoops = requireNonNull(eventLoops, "eventLoops is null");
    this.whole = whole;
  }

  public static Health of(EventLoops eventLoops) {
    return new Health(eventLoops, null);
  }

  /** The health of a part; its checks count for the whole as well. */
  public Health part() {
    return new Health(eventLoops, this);
  }

  public void add(Check check) {
    checks.add(check);
    if (whole != null) {
      whole.add(check);
    }
  }

  public Routes routes() {
    return new Routes().get("/health/live", this::live).get("/health/ready", this::ready);
  }

  private void live(RoutingContext exchange) {
    stateOf(Check.needed("event loops", eventLoops::ping))
        .onSuccess(state -> send(exchange, Map.of("event_loops", state)));
  }

  private void ready(RoutingContext exchange) {
    Map<String, State> told = new ConcurrentSkipListMap<>();
    List<Future<State>> states = new ArrayList<>();
    for (Check check : checks) {
      states.add(stateOf(check).onSuccess(state -> told.merge(check.name(), state, Health::worse)));
    }
    Future.all(states).onSuccess(all -> send(exchange, told));
  }

  private static Future<State> stateOf(Check check) {
    return started(check)
        .timeout(CHECK_MILLIS_MAX, TimeUnit.MILLISECONDS)
        .otherwise(check.otherwise());
  }

  private static Future<State> started(Check check) {
    try {
      return check.check().get();
    } catch (RuntimeException failure) {
      return Future.failedFuture(failure);
    }
  }

  private static State worse(State one, State other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  private static void send(RoutingContext exchange, Map<String, State> told) {
    State worst = told.values().stream().reduce(State.UP, Health::worse);
    State answer = worst == State.DOWN ? State.DOWN : State.UP;
    JsonObject checks = new JsonObject();
    told.forEach((name, state) -> checks.put(name, state.word()));
    HttpExchange.sendJson(
        exchange,
        answer == State.UP ? 200 : 503,
        new JsonObject().put("status", answer.word()).put("checks", checks));
  }
}
