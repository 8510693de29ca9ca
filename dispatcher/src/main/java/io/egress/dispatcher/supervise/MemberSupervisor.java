package io.egress.dispatcher.supervise;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a group member running on a verticle's event loop. An unhandled exception, or PostgreSQL or
 * Kafka not answering for too long, ends the member: it releases its partitions, and a new one
 * reads again from the last commit. So does a change of the topics' identity. A stalled member is
 * replaced once both backends answer.
 */
public final class MemberSupervisor {
  /** One membership in a consumer group. All methods are called on its event loop. */
  public interface GroupMember {
    Future<Void> start();

    /** Finishes what is in progress, commits, and leaves the group. */
    Future<Void> close();

    /** Aborts what is in progress and leaves the group without a commit. */
    Future<Void> release();

    /** Called after {@link #release}, once PostgreSQL and Kafka answer: writes known results. */
    Future<Void> flush(Duration max);
  }

  private static final Logger log = LoggerFactory.getLogger(MemberSupervisor.class);

  /** After this time, a consumer that cannot reach its brokers is abandoned. */
  private static final Duration LEAVE_MAX = Duration.ofSeconds(35);

  private static final Duration FLUSH_MAX = Duration.ofSeconds(5);
  private static final Duration CLOCK_PERIOD = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final Restarts restarts;
  private final BackendWait backends;
  private final Function<Consumer<Duration>, GroupMember> members;
  private final ClockWatch clock = new ClockWatch();
  private @Nullable GroupMember member;
  private Future<Void> replacement = Future.succeededFuture();
  private boolean stopping;

  /** {@code members} creates a member, which reports for how long it has been stalled. */
  public MemberSupervisor(
      Vertx vertx,
      Restarts restarts,
      BackendWait backends,
      Function<Consumer<Duration>, GroupMember> members) {
    this.vertx = vertx;
    this.restarts = restarts;
    this.backends = backends;
    this.members = members;
  }

  /** Sets the exception handler of {@code context}, which is the verticle's. */
  public Future<Void> start(Context context) {
    context.exceptionHandler(this::failed);
    vertx.setPeriodic(CLOCK_PERIOD.toMillis(), _ -> checkClock());
    restarts.onReplacedQueue(() -> context.runOnContext(_ -> queueReplaced()));
    return begin();
  }

  public Future<Void> stop() {
    stopping = true;
    return member == null ? replacement : member.close();
  }

  private Future<Void> begin() {
    GroupMember begun = members.apply(this::stalled);
    member = begun;
    return begun.start();
  }

  private void checkClock() {
    Duration step = clock.setBack();
    GroupMember misled = step.isZero() ? null : take();
    if (misled != null) {
      Duration pause = restarts.clockSetBack(step);
      replacement = release(misled).compose(_ -> beginAfter(pause));
    }
  }

  /** Attempts in flight are finished first, as when partitions are handed over. */
  private void queueReplaced() {
    GroupMember lost = take();
    if (lost != null) {
      Duration pause = restarts.queueReplaced();
      replacement = left(lost.close()).compose(_ -> beginAfter(pause));
    }
  }

  private void failed(Throwable failure) {
    GroupMember broken = take();
    if (broken == null) {
      log.error("Unexpected failure while a member is stopping or restarting", failure);
      return;
    }
    Duration pause = restarts.failed(failure);
    replacement = release(broken).compose(_ -> beginAfter(pause));
  }

  private void stalled(Duration since) {
    GroupMember idle = take();
    if (idle != null) {
      Duration pause = restarts.stalled(since);
      replacement =
          release(idle)
              .compose(_ -> backends.awaitAnswer(() -> stopping))
              .compose(_ -> idle.flush(FLUSH_MAX))
              .compose(_ -> beginAfter(pause));
    }
  }

  /** Takes the member to end it; null if it is ending already. */
  private @Nullable GroupMember take() {
    if (stopping) {
      return null;
    }
    GroupMember taken = member;
    member = null;
    return taken;
  }

  private static Future<Void> release(GroupMember released) {
    return left(released.release());
  }

  private static Future<Void> left(Future<Void> leaving) {
    return leaving.timeout(LEAVE_MAX.toMillis(), TimeUnit.MILLISECONDS).otherwiseEmpty();
  }

  /** Retries until a member has started: creating one may fail, too. */
  private Future<Void> beginAfter(Duration pause) {
    return vertx
        .timer(pause.toMillis(), TimeUnit.MILLISECONDS)
        .compose(_ -> stopping ? Future.succeededFuture() : begin())
        .recover(this::beginAgain);
  }

  private Future<Void> beginAgain(Throwable failure) {
    GroupMember broken = take();
    Duration pause = restarts.failed(failure);
    return (broken == null ? Future.<Void>succeededFuture() : release(broken))
        .compose(_ -> beginAfter(pause));
  }
}
