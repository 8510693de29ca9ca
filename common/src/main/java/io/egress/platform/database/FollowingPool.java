package io.egress.platform.database;

import io.egress.platform.database.ServerSearch.Server;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PrepareOptions;
import io.vertx.sqlclient.PreparedQuery;
import io.vertx.sqlclient.Query;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.SqlResult;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collector;
import org.jspecify.annotations.Nullable;

/**
 * A pool whose connections all lead to the server that a {@link ServerSearch} has found: when
 * another server takes its place, a new pool replaces the former one, which is closed with all of
 * its connections. Failures of statements are reported to the search, except those of connections
 * that the caller closes.
 *
 * <p>Pools are opened in the context in which this one was created: Vert.x closes what is opened in
 * the context of a verticle with it, and others use the pool, too.
 */
final class FollowingPool implements Pool {
  private record Opened(Server server, Pool pool) {}

  private final Vertx vertx;
  private final Context owner;
  private final ServerSearch search;
  private final Function<Server, Pool> open;
  private volatile @Nullable Opened opened;
  private volatile boolean closed;

  /** {@code open} creates a pool of connections to a server. */
  FollowingPool(Vertx vertx, ServerSearch search, Function<Server, Pool> open) {
    this.vertx = vertx;
    this.owner = vertx.getOrCreateContext();
    this.search = search;
    this.open = open;
  }

  @Override
  public Future<SqlConnection> getConnection() {
    return use(Pool::getConnection);
  }

  @Override
  public <T> Future<@Nullable T> withConnection(
      Function<SqlConnection, Future<@Nullable T>> function) {
    return use(pool -> pool.withConnection(function));
  }

  @Override
  public Query<RowSet<Row>> query(String sql) {
    return new Simple<>(pool -> pool.query(sql));
  }

  @Override
  public PreparedQuery<RowSet<Row>> preparedQuery(String sql) {
    return new Prepared<>(pool -> pool.preparedQuery(sql));
  }

  @Override
  public PreparedQuery<RowSet<Row>> preparedQuery(String sql, PrepareOptions options) {
    return new Prepared<>(pool -> pool.preparedQuery(sql, options));
  }

  @Override
  public int size() {
    Opened now = opened;
    return now == null ? 0 : now.pool.size();
  }

  @Override
  public Future<Void> close() {
    Opened last;
    synchronized (this) {
      closed = true;
      last = opened;
      opened = null;
    }
    return last == null ? Future.succeededFuture() : last.pool.close();
  }

  private <T> Future<T> use(Function<Pool, Future<T>> work) {
    Server known = search.known();
    return known == null ? find().compose(found -> use(found, work)) : use(known, work);
  }

  private <T> Future<T> use(Server server, Function<Pool, Future<T>> work) {
    Opened now = opened;
    Future<T> used =
        now != null && now.server.equals(server)
            ? work.apply(now.pool)
            : open(server).compose(work);
    return used.onFailure(failure -> report(server, failure));
  }

  /** A pool that is closed fails what waits for it. */
  private void report(Server server, Throwable failure) {
    if (!closed) {
      search.failed(server, failure);
    }
  }

  /** Completes on the context of the caller, which the pool remembers for its results. */
  private Future<Server> find() {
    Context caller = vertx.getOrCreateContext();
    Promise<Server> promise = Promise.promise();
    search.find().onComplete(found -> caller.runOnContext(_ -> promise.handle(found)));
    return promise.future();
  }

  private Future<Pool> open(Server server) {
    Context caller = vertx.getOrCreateContext();
    Promise<Pool> promise = Promise.promise();
    owner.runOnContext(_ -> {
      Future<Pool> pool = replaced(server);
      caller.runOnContext(_ -> promise.handle(pool));
    });
    return promise.future();
  }

  private synchronized Future<Pool> replaced(Server server) {
    if (closed) {
      return Future.failedFuture(new IllegalStateException("the pool is closed"));
    }
    Opened former = opened;
    if (former != null) {
      if (former.server.equals(server)) {
        return Future.succeededFuture(former.pool);
      }
      former.pool.close();
    }
    Pool pool = open.apply(server);
    opened = new Opened(server, pool);
    return Future.succeededFuture(pool);
  }

  private class Simple<T> implements Query<T> {
    private final Function<Pool, ? extends Query<T>> query;

    Simple(Function<Pool, ? extends Query<T>> query) {
      this.query = query;
    }

    @Override
    public Future<T> execute() {
      return use(pool -> query.apply(pool).execute());
    }

    @Override
    public <U> Query<RowSet<U>> mapping(Function<Row, U> mapper) {
      return new Simple<>(pool -> query.apply(pool).mapping(mapper));
    }

    @Override
    public <R> Query<SqlResult<R>> collecting(Collector<Row, ?, R> collector) {
      return new Simple<>(pool -> query.apply(pool).collecting(collector));
    }
  }

  private final class Prepared<T> extends Simple<T> implements PreparedQuery<T> {
    private final Function<Pool, PreparedQuery<T>> query;

    Prepared(Function<Pool, PreparedQuery<T>> query) {
      super(query);
      this.query = query;
    }

    @Override
    public Future<T> execute(Tuple tuple) {
      return use(pool -> query.apply(pool).execute(tuple));
    }

    @Override
    public Future<T> executeBatch(List<Tuple> batch) {
      return use(pool -> query.apply(pool).executeBatch(batch));
    }

    @Override
    public <U> PreparedQuery<RowSet<U>> mapping(Function<Row, U> mapper) {
      return new Prepared<>(pool -> query.apply(pool).mapping(mapper));
    }

    @Override
    public <R> PreparedQuery<SqlResult<R>> collecting(Collector<Row, ?, R> collector) {
      return new Prepared<>(pool -> query.apply(pool).collecting(collector));
    }
  }
}
