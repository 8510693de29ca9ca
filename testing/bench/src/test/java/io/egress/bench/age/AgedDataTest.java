package io.egress.bench.age;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import io.egress.webhook.endpoint.SecretBox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgedDataTest {
  private static final long CAPTURES = 20_000;

  private final Path folder;
  private final List<String> steps = new ArrayList<>();

  AgedDataTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void everybodyMayPass() throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
  }

  @Test
  void itsNameFollowsFromTheNumberOfCapturesAndTheCode() {
    assertThat(AgedData.name(CAPTURES, AgedData.NEWEST))
        .matches("aged-20000-[0-9a-f]{12}")
        .isEqualTo(AgedData.name(CAPTURES, AgedData.NEWEST))
        .isNotEqualTo(AgedData.name(CAPTURES + 1, AgedData.NEWEST))
        .isNotEqualTo(AgedData.name(CAPTURES, 1));
  }

  @Test
  void aChangedMigrationMakesAnotherName() throws Exception {
    Path migration = Files.writeString(folder.resolve("V1__baseline.sql"), "create table a ();");
    String before = digest();

    Files.writeString(migration, "create table b ();");
    String changed = digest();
    Files.writeString(folder.resolve("V2__more.sql"), "");

    assertThat(List.of(before, changed, digest())).doesNotHaveDuplicates();
  }

  private String digest() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    AgedData.add(digest, folder);
    return HexFormat.of().formatHex(digest.digest());
  }

  @Test
  @Tag("long")
  void isMadeOnceAndCopiedForEachRun() throws Exception {
    Path cache = Files.createDirectory(folder.resolve("cache"));
    Path stale = Files.createDirectory(cache.resolve("aged-20000-of-another-code"));
    AgedData data = in(cache, Instant.EPOCH);
    assertThat(steps).contains("captures", "deliveries");
    assertThat(stale).doesNotExist();

    changeACopy(data);

    try (PostgresServer copy = copy(data, "second")) {
      assertThat(copy.query("select count(*) from stream")).isEqualTo("20000");
    }
    steps.clear();
    assertThat(in(cache, Instant.EPOCH)).isEqualTo(data);
    assertThat(steps).as("it is there").isEmpty();
    assertThat(data.description()).containsPattern("20,000 captures.*made [0-9]+ minutes ago");
    String key = data.settings().get("EGRESS_SECRET_KEY");
    assertThat(SecretBox.parse(String.valueOf(key))).isNotNull();

    in(cache, Instant.now());
    assertThat(steps).as("it is too old").contains("captures");
    assertThat(data.settings().get("EGRESS_SECRET_KEY")).isNotEqualTo(key);
  }

  private void changeACopy(AgedData data) {
    try (PostgresServer copy = copy(data, "first")) {
      assertThat(copy.query("select count(*) from stream")).isEqualTo("20000");
      copy.query("drop table api_keys cascade");
    }
  }

  private PostgresServer copy(AgedData data, String name) {
    return PostgresServer.startCopy(folder.resolve(name), data.postgres(), Durability.UNSYNCED);
  }

  private AgedData in(Path cache, Instant oldest) throws Exception {
    return AgedData.in(cache, CAPTURES, AgedData.NEWEST, oldest, steps::add);
  }
}
