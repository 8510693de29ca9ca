package io.egress.api.hook;

import io.egress.transcript.capture.Capture;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Group commit: captures that arrive while a transaction is running share the next one. Without
 * load no capture waits; under load many share a round trip and a flush to disk.
 */
final class CombinedPuts {
  private static final int TRANSACTIONS_MAX = 2;
  private static final int BATCH_CAPTURES_MAX = 50;

  /** Of documents. All are carried by one statement. */
  private static final int BATCH_BYTES_MAX = 2 * 1024 * 1024;

  /** A second concurrent transaction must be worth its cost. */
  private static final int SECOND_CAPTURES_MIN = 8;

  /** SQLSTATE classes: data exception, integrity constraint violation, program limit exceeded. */
  private static final Set<String> OF_ONE_CAPTURE = Set.of("22", "23", "54");

  /** The promise is completed on the caller's context. */
  private record Waiting(IncomingCapture capture, Promise<PutResult> put, Context asking) {
    UUID id() {
      return capture.capture().id();
    }

    void complete(PutResult result) {
      asking.runOnContext(_ -> put.complete(result));
    }

    void fail(Throwable failure) {
      asking.runOnContext(_ -> put.fail(failure));
    }
  }

  private final Vertx vertx;
  private final Context context;
  private final CaptureWriter writer;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final Set<UUID> underWay = new HashSet<>();
  private int running;

  CombinedPuts(Vertx vertx, CaptureWriter writer) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.writer = writer;
  }

  /**
   * Takes a millisecond or more of the calling thread, which must not be an event loop. A put whose
   * request is {@code cutShort} leaves the queue; one that is in a transaction stays there.
   */
  Future<PutResult> put(Capture capture, @Nullable String traceparent, Future<Void> cutShort) {
    Waiting put =
        new Waiting(
            writer.prepare(capture, traceparent), Promise.promise(), vertx.getOrCreateContext());
    context.runOnContext(_ -> {
      waiting.add(put);
      startBatches();
    });
    cutShort.onFailure(reason -> context.runOnContext(_ -> leave(put, reason)));
    return put.put().future();
  }

  private void leave(Waiting put, Throwable reason) {
    if (waiting.remove(put)) {
      put.fail(reason);
    }
  }

  private void startBatches() {
    while (running < TRANSACTIONS_MAX
        && waiting.size() >= (running == 0 ? 1 : SECOND_CAPTURES_MIN)) {
      List<Waiting> batch = takeBatch();
      if (batch.isEmpty()) {
        return;
      }
      start(batch);
    }
  }

  private void start(List<Waiting> batch) {
    running++;
    commit(batch)
        .onComplete(_ ->
            context.runOnContext(_ -> {
              running--;
              batch.forEach(put -> underWay.remove(put.id()));
              startBatches();
            }));
  }

  /**
   * Takes the oldest captures, except those whose id is in a running transaction: they are later
   * versions of it.
   */
  private List<Waiting> takeBatch() {
    List<Waiting> batch = new ArrayList<>();
    int bytes = 0;
    Iterator<Waiting> oldest = waiting.iterator();
    while (oldest.hasNext() && batch.size() < BATCH_CAPTURES_MAX && bytes < BATCH_BYTES_MAX) {
      Waiting next = oldest.next();
      if (underWay.add(next.id())) {
        batch.add(next);
        bytes += next.capture().document().deflated().length();
        oldest.remove();
      }
    }
    return batch;
  }

  /** Always completes, with a result for every capture of the batch. */
  private Future<Void> commit(List<Waiting> batch) {
    return writer
        .put(batch.stream().map(Waiting::capture).toList())
        .map(results -> {
          for (int i = 0; i < batch.size(); i++) {
            batch.get(i).complete(results.get(i));
          }
          return (Void) null;
        })
        .recover(failure ->
            batch.size() > 1 && isOfOneCapture(failure)
                ? commitEachAlone(batch)
                : fail(batch, failure));
  }

  private Future<Void> commitEachAlone(List<Waiting> batch) {
    Future<Void> all = Future.succeededFuture();
    for (Waiting one : batch) {
      all = all.compose(_ -> commit(List.of(one)));
    }
    return all;
  }

  private static Future<Void> fail(List<Waiting> batch, Throwable failure) {
    batch.forEach(waiting -> waiting.fail(failure));
    return Future.succeededFuture();
  }

  /** The database rejected a value of one capture, which must not affect the others. */
  private static boolean isOfOneCapture(Throwable failure) {
    return failure instanceof PgException refused
        && refused.getSqlState() != null
        && OF_ONE_CAPTURE.contains(refused.getSqlState().substring(0, 2));
  }
}
