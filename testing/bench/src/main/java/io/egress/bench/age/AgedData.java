package io.egress.bench.age;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.util.Objects.requireNonNull;

import io.egress.cli.StoredSecret;
import io.egress.embedded.Command;
import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.egress.embedded.FileTrees;
import io.egress.embedded.UserCache;
import io.egress.platform.database.Migrations;
import io.egress.webhook.endpoint.SecretBox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A data folder with an aged database, for suites that run on a copy of it. It takes minutes to
 * make, so it is kept in the user's cache, under a name that has everything its content follows
 * from: the number of captures, the migrations, and the classes that fill it.
 *
 * <p>It is made again after a week: the newest days of its delivery log would be missing.
 */
public record AgedData(Path folder, AgedDatabase.Size size, int migrations) {
  /** Every migration of this build. */
  public static final int NEWEST = Integer.MAX_VALUE;

  private static final Duration USED_FOR = Duration.ofDays(7);
  private static final Duration SYNC_MAX = Duration.ofMinutes(10);
  private static final String PREFIX = "aged-";

  /** With so many migrations applied; blocks for minutes if it has to be made. */
  public static AgedData of(long captures, int migrations) throws IOException, SQLException {
    Instant oldest = Instant.now().minus(USED_FOR);
    return in(UserCache.folder(), captures, migrations, oldest, AgedData::printStep);
  }

  /** The one in {@code cache}, unless it was made before {@code oldest}. */
  static AgedData in(
      Path cache, long captures, int migrations, Instant oldest, Consumer<String> progress)
      throws IOException, SQLException {
    AgedData data =
        new AgedData(
            cache.resolve(name(captures, migrations)),
            AgedDatabase.Size.DEFAULT.withCaptures(captures),
            migrations);
    try (FileChannel channel =
            FileChannel.open(cache.resolve("lock-" + PREFIX + captures), CREATE, WRITE);
        FileLock held = channel.lock()) {
      if (held.isValid() && !data.isMadeSince(oldest)) {
        data.makeInstead(cache, progress);
      }
    }
    return data;
  }

  private boolean isMadeSince(Instant oldest) throws IOException {
    return Files.exists(folder) && made().isAfter(oldest);
  }

  /** The folder is renamed into place, and not changed afterwards. */
  private Instant made() throws IOException {
    return Files.getLastModifiedTime(folder).toInstant();
  }

  private void makeInstead(Path cache, Consumer<String> progress) throws IOException, SQLException {
    try (Stream<Path> all = Files.list(cache)) {
      all.filter(each -> each.getFileName().toString().startsWith(prefix()))
          .forEach(FileTrees::delete);
    }
    Path unfinished = cache.resolve(prefix() + "unfinished");
    make(unfinished, size, migrations, new HashMap<>(), progress);
    Files.move(unfinished, folder);
  }

  /**
   * Fills a data folder that does not exist yet. Secrets are sealed with the key in {@code
   * environment}, or else with one that the folder keeps.
   */
  static void make(
      Path folder,
      AgedDatabase.Size size,
      int migrations,
      Map<String, String> environment,
      Consumer<String> progress)
      throws SQLException {
    try (EmbeddedBackends backends =
        EmbeddedBackends.start(EmbeddedOptions.persistent(folder).unsynced().withoutKafka())) {
      StoredSecret.SECRET_KEY.complete(environment, folder, _ -> {});
      String key = requireNonNull(environment.get(StoredSecret.SECRET_KEY.setting()));
      AgedDatabase.fill(backends.databaseUrl(), size, migrations, SecretBox.parse(key), progress);
    }
    sync();
  }

  /** Neither a crash nor a measurement may meet what is not on disk yet. */
  public static void sync() {
    Command.run(Path.of("/"), SYNC_MAX, List.of("sync"));
  }

  /** The settings of a service on a copy: the key of its endpoints' secrets. */
  public Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    StoredSecret.SECRET_KEY.complete(settings, folder, _ -> {});
    return settings;
  }

  /** PostgreSQL's part, to be copied. */
  public Path postgres() {
    return folder.resolve(EmbeddedBackends.POSTGRES);
  }

  public long megabytes() {
    try (Stream<Path> files = Files.walk(postgres())) {
      return files.mapToLong(file -> file.toFile().isFile() ? file.toFile().length() : 0).sum()
          >> 20;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** How old it is in two senses, and how large. */
  public String description() throws IOException {
    return "a database of %,d captures in %d months, %,d MB, made %d minutes ago: a copy of %s"
        .formatted(
            size.captures(),
            size.months(),
            megabytes(),
            Duration.between(made(), Instant.now()).toMinutes(),
            folder);
  }

  private static void printStep(String step) {
    System.err.printf("  aging a database: %s%n", step);
  }

  private String prefix() {
    return prefix(size.captures(), migrations);
  }

  private static String prefix(long captures, int migrations) {
    return PREFIX + captures + (migrations == NEWEST ? "-" : "-v" + migrations + "-");
  }

  static String name(long captures, int migrations) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      add(digest, Migrations.class, "db/migration");
      add(digest, AgedDatabase.class, AgedDatabase.class.getPackageName().replace('.', '/'));
      return prefix(captures, migrations) + HexFormat.of().formatHex(digest.digest(), 0, 6);
    } catch (NoSuchAlgorithmException | URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The files of a folder that is beside {@code neighbor} in a jar or a folder of classes. */
  private static void add(MessageDigest digest, Class<?> neighbor, String folder)
      throws IOException, URISyntaxException {
    Path code = Path.of(neighbor.getProtectionDomain().getCodeSource().getLocation().toURI());
    if (Files.isDirectory(code)) {
      add(digest, code.resolve(folder));
    } else {
      try (FileSystem jar = FileSystems.newFileSystem(code)) {
        add(digest, jar.getPath(folder));
      }
    }
  }

  static void add(MessageDigest digest, Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.sorted().toList();
    }
    for (Path file : files) {
      digest.update(file.getFileName().toString().getBytes(UTF_8));
      digest.update(Files.readAllBytes(file));
    }
  }
}
