package io.egress.platform.http;

import io.egress.platform.metrics.EventLoops;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Live: every event loop runs. Ready: all required dependencies are up, as far as is known without
 * asking them. Both answer within a second.
 */
public final class Health {
  private static final long PING_MILLIS_MAX = 700;

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

  /** What is known of a dependency. */
  public record Check(String name, Supplier<State> state) {
    /** A required dependency. */
    public static Check required(String name, BooleanSupplier up) {
      return new Check(name, () -> up.getAsBoolean() ? State.UP : State.DOWN);
    }

    /** A dependency that is not required at the moment. */
    public static Check optional(String name, BooleanSupplier up) {
      return new Check(name, () -> up.getAsBoolean() ? State.UP : State.AWAY);
    }
  }

  private final EventLoops eventLoops;
  private final @Nullable Health whole;
  private final List<Check> checks = new CopyOnWriteArrayList<>();

  private Health(EventLoops eventLoops, @Nullable Health whole) {
    this.eventLoops = eventLoops;
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

  private void live(RoutingContext ctx) {
    eventLoops
        .ping()
        .timeout(PING_MILLIS_MAX, TimeUnit.MILLISECONDS)
        .map(_ -> State.UP)
        .otherwise(State.DOWN)
        .onSuccess(state -> send(ctx, Map.of("event_loops", state)));
  }

  private void ready(RoutingContext ctx) {
    Map<String, State> states = new TreeMap<>();
    checks.forEach(check -> states.merge(check.name(), check.state().get(), Health::worse));
    send(ctx, states);
  }

  private static State worse(State one, State other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  private static void send(RoutingContext ctx, Map<String, State> states) {
    State worst = states.values().stream().reduce(State.UP, Health::worse);
    State answer = worst == State.DOWN ? State.DOWN : State.UP;
    JsonObject checks = new JsonObject();
    states.forEach((name, state) -> checks.put(name, state.word()));
    HttpExchange.sendJson(
        ctx,
        answer == State.UP ? 200 : 503,
        new JsonObject().put("status", answer.word()).put("checks", checks));
  }
}
