package io.egress.platform.database;

import io.egress.platform.environment.SettingsException;
import io.egress.platform.outage.Outage;
import io.egress.platform.outage.Startup;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** PostgreSQL as one role uses it: all connections of its pools lead to the same server. */
public final class Database {
  private static final Logger log = LoggerFactory.getLogger(Database.class);

  private static final String NO_OWNER =
      "%s is required: the role of %s does not own the tables, which a dispatcher maintains"
          .formatted(DatabaseSettings.OWNER_URL, DatabaseSettings.URL);

  private final Vertx vertx;
  private final DatabaseSettings settings;
  private final ServerSearch primary;
  private final DatabaseClock clock = new DatabaseClock();
  private volatile @Nullable Database owner;

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

  /**
   * Waits for a server that takes writes, and migrates its schema. Fails with {@link
   * SettingsException} if no role of the settings owns it.
   */
  public Future<Void> migrate() {
    return migrateIfOwned()
        .compose(owned ->
            owned
                ? Future.succeededFuture()
                : Future.failedFuture(new SettingsException(List.of(NO_OWNER))));
  }

  /** The same, but if no role of the settings owns the schema, waits until another process has. */
  public Future<Void> migrateOrWait() {
    return migrateIfOwned().compose(owned -> owned ? Future.succeededFuture() : awaitMigrations());
  }

  private Future<Boolean> migrateIfOwned() {
    return new Startup(vertx, log, "PostgreSQL", Unavailability::isBehind)
        .await(() -> primary.find().compose(_ -> blocking(() -> Schema.migrateIfOwned(settings))))
        .recover(failure -> Future.failedFuture(isUnusable(failure) ? unusable(failure) : failure))
        .onSuccess(owned -> {
          if (owned) {
            owner = settings.ownerUrl() == null ? this : new Database(vertx, settings.asOwner());
          }
        });
  }

  private Future<Void> awaitMigrations() {
    Outage behind =
        Outage.ofItsOwn(
            log,
            "The database does not have the schema of this release yet; waiting for it",
            "The database has the schema of this release");
    return new Startup(
            vertx,
            behind,
            failure ->
                failure instanceof Schema.BehindException || Unavailability.isBehind(failure))
        .await(() ->
            blocking(() -> {
              Schema.requireMigrated(settings);
              return true;
            }))
        .mapEmpty();
  }

  private <T> Future<T> blocking(Callable<T> work) {
    return vertx.executeBlocking(work, false);
  }

  /**
   * The same database, used as the role that owns its tables; this one if that is its role, and
   * nothing if this process has no such role. Known once the schema is.
   */
  public Optional<Database> owner() {
    return Optional.ofNullable(owner);
  }

  /**
   * Begins what the owner does while the service runs. {@code serving} is the pool for it if no
   * other role owns the tables.
   */
  public Optional<SchemaUpkeep> upkeep(Pool serving) {
    return owner()
        .map(owning -> {
          boolean isOther = !owning.equals(this);
          return new SchemaUpkeep(
              vertx,
              new IndexBuilder(owning.settings),
              isOther ? owning.pool("schema", 1) : serving,
              isOther);
        });
  }

  private static boolean isUnusable(Throwable failure) {
    return failure instanceof PgException refused
        && Unavailability.isOfAccount(refused.getSqlState());
  }

  private static SettingsException unusable(Throwable failure) {
    return new SettingsException(List.of(DatabaseSettings.URL + ": " + failure.getMessage()));
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
