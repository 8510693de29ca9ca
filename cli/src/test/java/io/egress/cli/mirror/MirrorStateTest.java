package io.egress.cli.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The state file of a mirror as each release has written it; see {@code formats/README.md}. */
class MirrorStateTest {
  private static final String WRITE = "EGRESS_TEST_WRITE_FORMATS";
  private static final Path FORMATS = Path.of("..", "formats");
  private static final String FILE = "mirror-state.json";

  private static final MirrorState STATE =
      new MirrorState(
          new UUID(0x4000, 10), MirrorFormat.MARKDOWN, "stream-cursor", "changes-cursor", true);

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
    assertThat(MirrorState.parse(Files.readAllBytes(sample))).isEqualTo(STATE);
  }

  @Test
  void aChangeNeedsASample() throws IOException {
    Path newest = releases().reduce((_, later) -> later).orElseThrow();

    assertThat(STATE.encode())
        .as("write a sample with %s", WRITE)
        .isEqualTo(Files.readAllBytes(newest));
  }

  @Test
  void oneOfALaterReleaseIsNotTouched() {
    JsonObject later = new JsonObject(Buffer.buffer(STATE.encode())).put("version", 2);

    assertThatThrownBy(() -> MirrorState.parse(later.toBuffer().getBytes()))
        .isInstanceOf(MirrorException.class)
        .hasMessageContaining("newer release");
  }

  @Test
  @EnabledIfEnvironmentVariable(named = WRITE, matches = ".+")
  void writeASample() throws IOException {
    Path folder = Files.createDirectories(FORMATS.resolve(System.getenv(WRITE)));
    Files.write(folder.resolve(FILE), STATE.encode());
  }
}
