package io.egress.platform.database;

import io.egress.platform.environment.SettingsException;
import io.egress.platform.outage.Startup;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** PostgreSQL as one role uses it: all connections of its pools lead to the same server. */
public final class Database {
  private static final Logger log = LoggerFactory.getLogger(Database.class);

  /** SQLSTATE classes: the password or account is wrong, or the database does not exist. */
  private static final Set<String> UNUSABLE = Set.of("28", "3D");

  private final Vertx vertx;
  private final DatabaseSettings settings;
  private final ServerSearch primary;
  private final DatabaseClock clock = new DatabaseClock();

  private Database(Vertx vertx, DatabaseSettings settings) {
    this.vertx = vertx;
    this.settings = settings;
    this.primary =
        new ServerSearch(vertx, settings, DatabaseUrl.parse(settings.url()), ServerSearch.PRIMARY);
  }

  /** Connects on first use. */
  public static Database of(Vertx vertx, DatabaseSettings settings) {
    return new Database(vertx, settings);
  }

  /** For a single pool. */
  public static Pool pool(Vertx vertx, DatabaseSettings settings, String name, int size) {
    return of(vertx, settings).pool(name, size);
  }

  /** Waits for a server that takes writes, and migrates its schema. */
  public Future<Void> migrate() {
    return new Startup(vertx, log, "PostgreSQL", Unavailability::isBehind)
        .await(() -> primary.find().compose(_ -> Migrations.run(vertx, settings.url())))
        .recover(failure -> Future.failedFuture(isUnusable(failure) ? unusable(failure) : failure));
  }

  private static boolean isUnusable(Throwable failure) {
    return failure instanceof PgException refused
        && UNUSABLE.contains(String.valueOf(refused.getSqlState()).substring(0, 2));
  }

  private static SettingsException unusable(Throwable failure) {
    return new SettingsException(List.of("EGRESS_DATABASE_URL: " + failure.getMessage()));
  }

  /** Read by {@link io.egress.platform.backend.BackendProbes}. */
  public DatabaseClock clock() {
    return clock;
  }

  /** {@code name} is the label in metrics. */
  public Pool pool(String name, int size) {
    return new FollowingPool(
        vertx, primary, server -> primary.connect(server, ServerPool.options(name, size)));
  }

  /** Leads to the first host that answers, even if it takes no writes. */
  public Pool poolOfAnyServer(String name, int size) {
    ServerSearch any =
        new ServerSearch(vertx, settings, DatabaseUrl.parse(settings.url()), ServerSearch.ANY);
    return new FollowingPool(
        vertx, any, server -> any.connect(server, ServerPool.options(name, size)));
  }

  /**
   * Opens a pool of connections to the standby of the settings; null if they name none. {@code
   * reading} leads to the primary.
   */
  public @Nullable Standby standby(String name, int size, Pool reading) {
    DatabaseSettings.Standby where = settings.standby();
    return where == null
        ? null
        : new Standby(vertx, settings, where, ServerPool.options(name, size), reading);
  }
}
