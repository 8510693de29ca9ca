package io.egress.bench.load;

import io.egress.platform.json.UtcInstant;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.transcript.document.BodyEncoder;
import io.egress.transcript.document.DocumentRenderer;
import io.egress.transcript.document.Fragment;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.UUID;

/** The usual implementation, for comparison: the same pages, compressed for each request. */
final class PerRequestGzip implements AutoCloseable {
  private static final String PAGE =
      """
      select d.length, d.crc32, d.deflated from stream s join documents d on d.capture_id = s.capture_id
      where s.workspace_id = $1 and s.position > $2 order by s.position limit 100
      """;

  /** Gets the port shared by all instances of the verticle. */
  private static final int ANY_FREE_PORT = -1_000;

  private final Pool pool;
  private final UUID workspace;
  private final Vertx vertx;
  private final String deployment;
  private volatile int port;

  PerRequestGzip(Vertx vertx, Pool pool, UUID workspace) {
    this.vertx = vertx;
    this.pool = pool;
    this.workspace = workspace;
    this.deployment =
        RunningProcess.await(
            vertx.deployVerticle(
                GzipVerticle::new,
                new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors())));
  }

  int port() {
    return port;
  }

  /** The part of one event loop. */
  private final class GzipVerticle extends VerticleBase {
    @Override
    public Future<?> start() {
      return vertx
          .createHttpServer(
              new HttpServerOptions().setCompressionSupported(true).setHost("127.0.0.1"))
          .requestHandler(PerRequestGzip.this::answer)
          .listen(ANY_FREE_PORT)
          .onSuccess(server -> port = server.actualPort());
    }
  }

  private void answer(HttpServerRequest request) {
    long after = Long.parseLong(request.getParam("position"));
    HttpServerResponse response = request.response().setChunked(true);
    pool.preparedQuery(PAGE)
        .execute(Tuple.of(workspace, after))
        .onFailure(_ -> response.reset())
        .onSuccess(rows -> {
          BodyEncoder body = BodyEncoder.identity();
          body.literal("{\"captures\":[");
          String separator = "";
          for (Row row : rows) {
            body.literal(separator);
            body.fragment(
                new Fragment(
                    row.getBuffer("deflated"), row.getInteger("crc32"), row.getLong("length")));
            body.literal(UtcInstant.format(Instant.now()) + DocumentRenderer.TAIL);
            separator = ",";
          }
          body.literal("]}");
          body.finish();
          for (Buffer piece = body.next(); piece != null; piece = body.next()) {
            response.write(piece);
          }
          response.end();
        });
  }

  @Override
  public void close() {
    RunningProcess.await(vertx.undeploy(deployment));
  }
}
