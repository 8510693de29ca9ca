package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.demo.SampleConversations;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.document.TranscriptRenderer;
import io.egress.transcript.stream.Cursor;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Fills workspaces with history, directly in the database where the hook would take hours. */
final class History implements AutoCloseable {
  /** One in so many captures is a manual one. */
  static final int RARE = 10_000;

  private static final int SMALL_BATCH = 100_000;

  /** 20 KB documents of one statement stay below 100 MB. */
  private static final int OWED_BATCH = 10_000;

  private static final String WORKSPACES =
      "insert into workspaces (id, stream_head, stream_chain) select unnest($1::uuid[]), $2, $2 "
          + "on conflict (id) do update set stream_head = excluded.stream_head,"
          + " stream_chain = excluded.stream_chain";
  private static final String DEVICES =
      "insert into devices (workspace_id, id) select id, id from unnest($1::uuid[]) id "
          + "on conflict do nothing";

  /** One capture of each workspace in turn, so that their deliveries alternate, too. */
  private static final String EACH =
      "from generate_series($2::bigint, $3::bigint) n cross join unnest($1::uuid[]) workspace ";

  private static final String CAPTURE_ID = "md5(workspace::text || n)::uuid";

  private static final String MODE =
      "case when n % " + RARE + " = 0 then 'manual' else 'ambient' end";

  private static final String CAPTURES =
      "insert into captures (id, workspace_id, device_id, mode, started_at, speakers, members, digest, entered) select "
          + CAPTURE_ID
          + ", workspace, workspace, "
          + MODE
          + ", now(), '{}', '{}', '', true "
          + EACH;

  /** Copies a few stored documents to all rows: only their cost is measured. */
  private static final String DOCUMENTS =
      "insert into documents (capture_id, revision, renderer, length, crc32, checksum, deflated) select "
          + CAPTURE_ID
          + ", 1, "
          + TranscriptRenderer.VERSION
          + ", sample.length, sample.crc32, sample.checksum, sample.deflated "
          + EACH
          + "join unnest($4::bigint[], $5::int[], $6::int[], $7::bytea[]) "
          + "with ordinality as sample(length, crc32, checksum, deflated, nth) "
          + "on sample.nth = 1 + n % cardinality($4::bigint[])";

  /** The chain value of a row is its position, so that a cursor to any position can be computed. */
  private static final String STREAM =
      "insert into stream (workspace_id, position, capture_id, chain, mode, device_id) select workspace, n, "
          + CAPTURE_ID
          + ", n, "
          + MODE
          + ", workspace "
          + EACH;

  /** Left by another process, so that they are published at once. */
  private static final String OUTBOX =
      "insert into outbox (workspace_id, position, capture_id, entered_at) select workspace, n, "
          + CAPTURE_ID
          + ", now() - interval '5 seconds' "
          + EACH
          + "order by n";

  private static final String ERASED =
      "update captures set erased_at = now() where id in "
          + "(select capture_id from stream where workspace_id = $1 and position <= $2 and position % $3 = 0)";
  private static final String ERASED_DOCUMENTS =
      "delete from documents d using captures c where c.id = d.capture_id and c.workspace_id = $1"
          + " and c.erased_at is not null";

  private final Pool pool;

  History(Vertx vertx, String databaseUrl) {
    PgConnectOptions connect = PgConnectOptions.fromUri(databaseUrl);
    this.pool =
        PgBuilder.pool()
            .connectingTo(connect)
            .with(new PoolOptions().setMaxSize(1))
            .using(vertx)
            .build();
  }

  Pool pool() {
    return pool;
  }

  /** Lines for an import of {@code count} captures, each about 80 KB as a document. */
  static Buffer lines(UUID workspace, int count, int segments) {
    SampleConversations samples = new SampleConversations(1, workspace);
    Buffer lines = Buffer.buffer();
    for (int i = 0; i < count; i++) {
      JsonObject capture = samples.next(segments).put("id", UUID.randomUUID().toString());
      lines.appendBuffer(capture.toBuffer()).appendString("\n");
    }
    return lines;
  }

  void fillSmall(UUID workspace, long count) {
    Fragment small =
        Fragment.deflate("{\"id\":\"\",\"emitted_at\":\"".getBytes(StandardCharsets.US_ASCII));
    for (long from = 1; from <= count; from += SMALL_BATCH) {
      long to = Math.min(count, from + SMALL_BATCH - 1);
      fill(new UUID[] {workspace}, from, to, List.of(small));
    }
    analyze();
  }

  /**
   * Captures at the positions up to {@code count} of every workspace, queued in Kafka. They share
   * the documents of {@code samples}.
   */
  void fillOwed(List<UUID> workspaces, long count, List<Fragment> samples) {
    UUID[] all = workspaces.toArray(UUID[]::new);
    long step = Math.max(1, OWED_BATCH / all.length);
    for (long from = 1; from <= count; from += step) {
      long to = Math.min(count, from + step - 1);
      fill(all, from, to, samples);
      run(OUTBOX, Tuple.of(all, from, to));
    }
  }

  private void fill(UUID[] workspaces, long from, long to, List<Fragment> samples) {
    run(WORKSPACES, Tuple.of(workspaces, to));
    run(DEVICES, Tuple.of((Object) workspaces));
    run(CAPTURES, Tuple.of(workspaces, from, to));
    run(
        DOCUMENTS,
        Tuple.of(
            workspaces,
            from,
            to,
            samples.stream().map(Fragment::length).toArray(Long[]::new),
            samples.stream().map(Fragment::crc32).toArray(Integer[]::new),
            samples.stream().map(Fragment::checksum).toArray(Integer[]::new),
            samples.stream().map(Fragment::deflated).toArray(Buffer[]::new)));
    run(STREAM, Tuple.of(workspaces, from, to));
  }

  /** Each second capture up to {@code last}. */
  void eraseEverySecond(UUID workspace, long last) {
    erase(workspace, last, 2);
    run(
        "insert into erased_spans (workspace_id, first_position, last_position)"
            + " select $1, n, n from generate_series(2, $2::bigint, 2) n",
        Tuple.of(workspace, last));
    settle();
  }

  void eraseUpTo(UUID workspace, long last) {
    erase(workspace, last, 1);
    run("delete from erased_spans where workspace_id = $1", Tuple.of(workspace));
    run(
        "insert into erased_spans (workspace_id, first_position, last_position) values ($1, 1, $2)",
        Tuple.of(workspace, last));
    settle();
  }

  private void erase(UUID workspace, long last, long step) {
    run(ERASED, Tuple.of(workspace, last, step));
    run(ERASED_DOCUMENTS, Tuple.of(workspace));
  }

  /** Cursors to the positions from 1 to {@code count}, once all of them have entered the stream. */
  List<Cursor> cursors(UUID workspace, int count) {
    List<Cursor> cursors = new ArrayList<>();
    while (cursors.size() < count) {
      cursors.clear();
      for (Row row :
          RunningProcess.await(
              pool.preparedQuery(
                      "select position, chain from stream where workspace_id = $1 order by position")
                  .execute(Tuple.of(workspace)))) {
        cursors.add(new Cursor(row.getLong(0), row.getLong(1)));
      }
    }
    return cursors;
  }

  /** Documents rendered by the service itself. */
  List<Fragment> documents(UUID workspace) {
    List<Fragment> documents = new ArrayList<>();
    for (Row row :
        RunningProcess.await(
            pool.preparedQuery(
                    "select d.deflated, d.crc32, d.length from documents d "
                        + "join captures c on c.id = d.capture_id where c.workspace_id = $1")
                .execute(Tuple.of(workspace)))) {
      documents.add(new Fragment(row.getBuffer(0), row.getInteger(1), row.getLong(2)));
    }
    return documents;
  }

  long owed() {
    return RunningProcess.await(pool.query("select count(*) from outbox").execute())
        .iterator()
        .next()
        .getLong(0);
  }

  void analyze() {
    RunningProcess.await(pool.query("vacuum analyze").execute());
  }

  /** Flushes what was filled in, so that this does not happen during a measurement. */
  void settle() {
    analyze();
    RunningProcess.await(pool.query("checkpoint").execute());
  }

  private void run(String sql, Tuple values) {
    RunningProcess.await(pool.preparedQuery(sql).execute(values));
  }

  @Override
  public void close() {
    RunningProcess.await(pool.close());
  }
}
