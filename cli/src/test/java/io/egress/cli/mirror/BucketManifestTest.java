package io.egress.cli.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The manifest of a bucket as each release has written it; see {@code formats/README.md}. */
class BucketManifestTest {
  private static final String WRITE = "EGRESS_TEST_WRITE_FORMATS";
  private static final Path FORMATS = Path.of("..", "formats");
  private static final String FILE = "mirror-manifest.json";

  private static final BucketManifest MANIFEST =
      new BucketManifest(
          new MirrorState(
              new UUID(0x4000, 10), MirrorFormat.VTT, "stream-cursor", "changes-cursor", false),
          3,
          new UUID(0x4000, 11),
          77,
          true,
          new TreeMap<>(Map.of(1L, Instant.ofEpochSecond(1), 2L, Instant.ofEpochSecond(1 << 30))),
          new TreeSet<>(List.of("2026/11/29/00000000-0000-4000-0000-00000000000c.2.vtt")));

  static Stream<Path> releases() throws IOException {
    try (Stream<Path> folders = Files.list(FORMATS)) {
      return folders
          .map(folder -> folder.resolve(FILE))
          .filter(Files::exists)
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("releases")
  void thatOfAReleaseIsRead(Path sample) throws IOException {
    assertThat(BucketManifest.parse(Files.readAllBytes(sample))).isEqualTo(MANIFEST);
  }

  @Test
  void aChangeNeedsASample() throws IOException {
    Path newest = releases().reduce((_, later) -> later).orElseThrow();

    assertThat(MANIFEST.encode())
        .as("write a sample with %s", WRITE)
        .isEqualTo(Files.readAllBytes(newest));
  }

  @Test
  void onlyTheNumberOfARunThatDidNotEndIsTaken() {
    UUID run = new UUID(0x4000, 12);
    BucketManifest ended = MANIFEST.next(MANIFEST.mirror(), new TreeSet<>(), false);

    assertThat(ended.claimedBy(run).writer()).isEqualTo(3);
    assertThat(MANIFEST.claimedBy(run).writer()).isEqualTo(4);
  }

  @Test
  void whatArrivesAfterItsNumberWasTakenIsLate() {
    Instant claimed = Instant.ofEpochSecond(1_800_000_000);
    BucketManifest taken = MANIFEST.claimedBy(new UUID(0x4000, 12)).claimedAt(claimed);

    assertThat(taken.ended()).containsEntry(3L, claimed).hasSize(3);
    assertThat(taken.isLate(3, claimed)).isFalse();
    assertThat(taken.isLate(3, claimed.plusSeconds(1))).isTrue();
    assertThat(taken.isLate(2, claimed)).isTrue();
    assertThat(taken.isLate(4, claimed.plusSeconds(1))).isFalse();
  }

  @Test
  @EnabledIfEnvironmentVariable(named = WRITE, matches = ".+")
  void writeASample() throws IOException {
    Path folder = Files.createDirectories(FORMATS.resolve(System.getenv(WRITE)));
    Files.write(folder.resolve(FILE), MANIFEST.encode());
  }
}
