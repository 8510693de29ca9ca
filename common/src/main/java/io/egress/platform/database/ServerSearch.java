package io.egress.platform.database;

import io.egress.platform.database.DatabaseUrl.Host;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the server that serves a purpose, among the hosts of the URL and behind each of them: a
 * proxy or a name may lead to another server after a failover, while connections to the former one
 * stay open. Each connection is therefore checked when it is made. The server is left when one of
 * its connections finds it unsuitable, when a new connection reaches another server, and when it no
 * longer answers after a failure. Pools follow with all of their connections. Thread-safe.
 */
final class ServerSearch {
  private static final Logger log = LoggerFactory.getLogger(ServerSearch.class);

  private static final Duration SEARCHES_APART = Duration.ofMillis(250);

  private static final Duration CHECKS_APART = Duration.ofSeconds(1);

  /**
   * What a server says of itself. {@code transaction_timeout} exists in PostgreSQL 17 and later;
   * earlier servers reject a connection that requests it.
   */
  private static final String INTRODUCE =
      """
      select concat(pg_postmaster_start_time(), ' ', inet_server_addr(), ' ', inet_server_port()) as identity, %s
      """;

  private static final String INTRODUCE_AND_LIMIT =
      INTRODUCE
          + """
          , (select set_config(name, '%d', false) from pg_settings where name = 'transaction_timeout')
          """;

  /** Its connection would be used otherwise: a failed check does not fail the connection. */
  private static final String HANG_UP = "select pg_terminate_backend(pg_backend_pid())";

  /** What the server is for. */
  interface Purpose {
    /** The query that checks a server. */
    String columns();

    /** Throws {@link NoServerException} if the server that answers is not suitable. */
    void require(Row answer);

    /** What a suitable server does, for the log. */
    String served();
  }

  /** The server that takes writes. */
  static final Purpose PRIMARY =
      new Purpose() {
        @Override
        public String columns() {
          return "current_setting('transaction_read_only')::boolean as read_only";
        }

        @Override
        public void require(Row answer) {
          if (answer.getBoolean("read_only")) {
            throw new NoServerException("the server is a standby or read-only", null, true);
          }
        }

        @Override
        public String served() {
          return "takes writes";
        }
      };

  /** Whatever server answers first. */
  static final Purpose ANY =
      new Purpose() {
        @Override
        public String columns() {
          return "true as answers";
        }

        @Override
        public void require(Row answer) {
          // It has answered.
        }

        @Override
        public String served() {
          return "answers";
        }
      };

  /**
   * A suitable server.
   *
   * @param identity distinguishes it from another server at the same address
   */
  record Server(Host host, String identity) {}

  private final Vertx vertx;
  private final DatabaseSettings settings;
  private final DatabaseUrl url;
  private final Purpose purpose;
  private final String introduce;
  private volatile @Nullable Server current;
  private @Nullable Host last;
  private boolean moves;
  private @Nullable Future<Server> search;
  private long nextSearchNanos = System.nanoTime();
  private long nextCheckNanos = System.nanoTime();

  ServerSearch(Vertx vertx, DatabaseSettings settings, DatabaseUrl url, Purpose purpose) {
    this.vertx = vertx;
    this.settings = settings;
    this.url = url;
    this.purpose = purpose;
    this.introduce =
        settings.pooler() == DatabaseSettings.Pooler.NONE
            ? INTRODUCE_AND_LIMIT.formatted(
                purpose.columns(), settings.timeouts().transaction().toMillis())
            : INTRODUCE.formatted(purpose.columns());
  }

  /** The server in use; null if it has to be searched. */
  @Nullable Server known() {
    return current;
  }

  /** The server in use, or the one that is found. Completes on any thread. */
  synchronized Future<Server> find() {
    Server known = current;
    if (known != null) {
      return Future.succeededFuture(known);
    }
    Future<Server> searching = search;
    if (searching == null || searching.isComplete()) {
      searching = searched();
      search = searching;
    }
    return searching;
  }

  /** Opens a pool of connections to {@code server}, which are checked. */
  Pool connect(Server server, PoolOptions pool) {
    return ServerPool.open(
        vertx, settings, url, server.host(), pool, connection -> check(server, connection));
  }

  /** Reports a failure of a statement sent to {@code server}. */
  void failed(Server server, Throwable failure) {
    if (failure instanceof NoServerException) {
      leave(server, failure.toString());
    } else if (Unavailability.isReadOnly(failure)) {
      leave(server, "it is read-only");
    } else if (Unavailability.isOfConnection(failure)) {
      checkAgain(server);
    }
  }

  private void check(Server server, SqlConnection connection) {
    // Without a handler the client prints the stack trace of a connection that ends.
    connection.exceptionHandler(
        broken -> log.debug("Lost a new connection to PostgreSQL: {}", broken.toString()));
    introduced(connection, server.host())
        .onSuccess(seen -> {
          if (seen.equals(server)) {
            connection.close();
          } else {
            leave(server, "its address leads to another server");
            connection.query(HANG_UP).execute();
          }
        })
        .onFailure(failure -> {
          failed(server, failure);
          connection.query(HANG_UP).execute();
        });
  }

  /** For a server that answers; one that does not is reported as an outage by its callers. */
  private synchronized void leave(Server server, String reason) {
    if (server.equals(current)) {
      forget(server);
      moves = true;
      log.warn("Leaving PostgreSQL at {}: {}", server.host(), reason);
    }
  }

  private synchronized void forget(Server server) {
    if (server.equals(current)) {
      current = null;
    }
  }

  /** A failed connection may be the end of the server. */
  private void checkAgain(Server server) {
    synchronized (this) {
      if (!server.equals(current) || nextCheckNanos - System.nanoTime() > 0) {
        return;
      }
      nextCheckNanos = System.nanoTime() + CHECKS_APART.toNanos();
    }
    visit(server.host())
        .onSuccess(seen -> {
          if (!seen.equals(server)) {
            leave(server, "another server answers there");
          }
        })
        .onFailure(failure -> {
          if (failure instanceof NoServerException) {
            leave(server, failure.toString());
          } else {
            forget(server);
          }
        });
  }

  private Future<Server> searched() {
    long early = TimeUnit.NANOSECONDS.toMillis(nextSearchNanos - System.nanoTime());
    Future<Void> due =
        early <= 0
            ? Future.succeededFuture()
            : vertx.timer(early, TimeUnit.MILLISECONDS).mapEmpty();
    return due.compose(_ -> visitFrom(0, new ArrayList<>(), true))
        .onComplete(found -> {
          synchronized (this) {
            nextSearchNanos = System.nanoTime() + SEARCHES_APART.toNanos();
            if (found.succeeded()) {
              use(found.result());
            }
          }
        });
  }

  private void use(Server found) {
    current = found;
    if (moves || (last != null && !last.equals(found.host()))) {
      log.info("PostgreSQL at {} {}", found.host(), purpose.served());
    }
    moves = false;
    last = found.host();
  }

  private Future<Server> visitFrom(int index, List<String> reasons, boolean allAnswered) {
    Host host = url.hosts().get(index);
    return visit(host)
        .recover(failure -> {
          if (!Unavailability.isCauseOf(failure)) {
            return Future.failedFuture(failure);
          }
          reasons.add(host + ": " + reason(failure));
          boolean answered = allAnswered && failure instanceof NoServerException;
          return index + 1 < url.hosts().size()
              ? visitFrom(index + 1, reasons, answered)
              : Future.failedFuture(
                  new NoServerException(String.join("; ", reasons), failure, answered));
        });
  }

  private static String reason(Throwable failure) {
    return failure instanceof NoServerException || failure.getMessage() == null
        ? failure.toString()
        : failure.getMessage();
  }

  /** With a connection of its own, which may hang. */
  private Future<Server> visit(Host host) {
    Pool pool =
        ServerPool.open(
            vertx, settings, url, host, ServerPool.options("search", 1), SqlConnection::close);
    return introduced(pool, host)
        .timeout(url.connectTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .eventually(pool::close);
  }

  private Future<Server> introduced(SqlClient client, Host host) {
    return required(client).map(answer -> new Server(host, answer.getString("identity")));
  }

  /** What the server says of itself. Fails if it is not suitable. */
  Future<Row> required(SqlClient client) {
    return client
        .query(introduce)
        .execute()
        .map(rows -> {
          Row answer = rows.iterator().next();
          purpose.require(answer);
          return answer;
        });
  }
}
