package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.capture.Capture;
import io.egress.capture.Device;
import io.egress.capture.Member;
import io.egress.document.Fragment;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Fast path for new captures that change no names. */
final class NewCaptures {
  private static final int PARAMETERS = 31;
  private static final String PUT =
      IntStream.rangeClosed(1, PARAMETERS)
          .mapToObj(i -> "$" + i)
          .collect(Collectors.joining(", ", "select put_new_captures(", ")"));

  /** SQLSTATE's class of transactions that were rolled back for another's sake. */
  private static final String ROLLED_BACK = "40";

  private static final String UNIQUE_VIOLATION = "23505";

  private final Pool pool;
  private final short rendererVersion;

  NewCaptures(Pool pool, short rendererVersion) {
    this.pool = requireNonNull(pool, "pool is null");
    this.rendererVersion = rendererVersion;
  }

  /** Returns false, having written nothing, when a capture exists already or changes a name. */
  Future<Boolean> put(List<IncomingCapture> captures) {
    Names shown = Names.in(captures.stream().map(IncomingCapture::shown).toList());
    boolean agree =
        captures.stream().allMatch(one -> shown.applyTo(one.shown()).equals(one.shown()));
    return agree
        ? pool.preparedQuery(PUT)
            .execute(columns(captures, shown))
            .map(rows -> rows.iterator().next().getBoolean(0))
            .recover(NewCaptures::isOfAnother)
        : Future.succeededFuture(false);
  }

  private static Future<Boolean> isOfAnother(Throwable failure) {
    return failure instanceof PgException refused
            && refused.getSqlState() != null
            && (refused.getSqlState().startsWith(ROLLED_BACK)
                || refused.getSqlState().equals(UNIQUE_VIOLATION))
        ? Future.succeededFuture(false)
        : Future.failedFuture(failure);
  }

  /** As the function's parameters. */
  private Tuple columns(List<IncomingCapture> captures, Names shown) {
    Tuple columns = Tuple.tuple();
    addDevices(columns, shown.devices());
    addMembers(columns, shown.members());
    addCaptures(columns, captures);
    ParticipantColumns.of(captures).addTo(columns);
    columns.addShort(rendererVersion);
    List<Fragment> documents = captures.stream().map(IncomingCapture::document).toList();
    return columns
        .addArrayOfLong(array(documents, Fragment::length, Long[]::new))
        .addArrayOfInteger(array(documents, Fragment::crc32, Integer[]::new))
        .addArrayOfInteger(array(documents, Fragment::checksum, Integer[]::new))
        .addArrayOfBuffer(array(documents, Fragment::deflated, Buffer[]::new));
  }

  private static void addDevices(Tuple columns, Map<Names.Key, Device> devices) {
    NameStore.addKeys(columns, devices.keySet())
        .addArrayOfString(array(devices.values(), Device::name, String[]::new));
  }

  private static void addMembers(Tuple columns, Map<Names.Key, Member> members) {
    NameStore.addKeys(columns, members.keySet())
        .addArrayOfString(array(members.values(), Member::name, String[]::new))
        .addArrayOfString(array(members.values(), Member::email, String[]::new));
  }

  private static void addCaptures(Tuple columns, List<IncomingCapture> incoming) {
    List<Capture> captures = incoming.stream().map(IncomingCapture::capture).toList();
    columns
        .addArrayOfUUID(array(captures, Capture::id, UUID[]::new))
        .addArrayOfUUID(array(captures, Capture::workspaceId, UUID[]::new))
        .addArrayOfUUID(array(captures, capture -> capture.device().id(), UUID[]::new))
        .addArrayOfString(array(captures, capture -> capture.mode().wireName(), String[]::new))
        .addArrayOfString(array(captures, Capture::title, String[]::new))
        .addArrayOfString(array(captures, Capture::summary, String[]::new))
        .addArrayOfOffsetDateTime(
            array(captures, capture -> CaptureRows.utc(capture.startedAt()), OffsetDateTime[]::new))
        .addArrayOfOffsetDateTime(
            array(captures, capture -> CaptureRows.utc(capture.endedAt()), OffsetDateTime[]::new))
        .addArrayOfLong(array(captures, Capture::durationMs, Long[]::new))
        .addArrayOfString(array(incoming, IncomingCapture::segmentsJson, String[]::new))
        .addArrayOfBuffer(array(incoming, IncomingCapture::digest, Buffer[]::new))
        .addArrayOfBoolean(array(incoming, IncomingCapture::spoken, Boolean[]::new));
  }

  private static <T, C extends @Nullable Object> C[] array(
      Collection<T> rows, Function<T, C> column, IntFunction<C[]> make) {
    return rows.stream().map(column).toArray(make);
  }
}
