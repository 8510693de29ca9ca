package io.egress.standalone.bench;

import static java.util.Objects.requireNonNull;

import io.egress.document.Fragment;
import io.egress.standalone.demo.SampleConversations;
import io.egress.standalone.run.RunningProcess;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * Fills workspaces with history, straight into the database where going through the hook would take
 * hours.
 */
final class History implements AutoCloseable {
  private static final int SMALL_BATCH = 100_000;

  /**
   * The stored form of one small document serves every row: only the cost of finding it is
   * measured.
   */
  private static final List<String> SMALL =
      List.of(
          "insert into workspaces (id, stream_head) values ($1, $2) "
              + "on conflict (id) do update set stream_head = excluded.stream_head",
          "insert into devices (workspace_id, id) values ($1, $1) on conflict do nothing",
          """
          insert into captures (id, workspace_id, device_id, mode, started_at, segments, digest, entered)
          select md5($1::uuid::text || n)::uuid, $1, $1, 'ambient', now(), '[]', '', true
          from generate_series($2::bigint, $3::bigint) n
          """,
          """
          insert into documents (capture_id, revision, length, crc32, deflated)
          select md5($1::uuid::text || n)::uuid, 1, $4::bigint, $5::int, $6::bytea from generate_series($2::bigint, $3::bigint) n
          """,
          """
          insert into stream (workspace_id, position, capture_id)
          select $1, n, md5($1::uuid::text || n)::uuid from generate_series($2::bigint, $3::bigint) n
          """);

  private final Pool pool;

  History(Vertx vertx, String databaseUrl) {
    PgConnectOptions connect =
        PgConnectOptions.fromUri(requireNonNull(databaseUrl, "databaseUrl is null"));
    this.pool =
        PgBuilder.pool()
            .connectingTo(connect)
            .with(new PoolOptions().setMaxSize(1))
            .using(vertx)
            .build();
  }

  /** Lines for an import, {@code count} captures of about 80 KB as a document. */
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
      run(SMALL.get(0), Tuple.of(workspace, to));
      run(SMALL.get(1), Tuple.of(workspace));
      run(SMALL.get(2), Tuple.of(workspace, from, to));
      run(
          SMALL.get(3),
          Tuple.of(workspace, from, to, small.length(), small.crc32(), small.deflated()));
      run(SMALL.get(4), Tuple.of(workspace, from, to));
    }
    analyze();
  }

  void analyze() {
    RunningProcess.await(pool.query("vacuum analyze").execute());
  }

  private void run(String sql, Tuple values) {
    RunningProcess.await(pool.preparedQuery(sql).execute(values));
  }

  @Override
  public void close() {
    RunningProcess.await(pool.close());
  }
}
