package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whatever is in the folder of libraries is on the class path of a checkout's commands. */
class LibrariesTest {
  private static final Path LIBRARIES = Path.of("..", "..", "standalone", "target", "lib");
  private static final Pattern JAR =
      Pattern.compile("(?<name>.+?)-\\d[^-]*(-SNAPSHOT)?(?<classifier>-.+)?\\.jar");

  @Test
  void nothingIsLeftOfAnotherVersion() throws IOException {
    List<String> artifacts;
    try (Stream<Path> jars = Files.list(LIBRARIES)) {
      artifacts = jars.map(jar -> artifact(jar.getFileName().toString())).toList();
    }

    assertThat(artifacts).hasSizeGreaterThan(50).doesNotHaveDuplicates();
  }

  private static String artifact(String jar) {
    Matcher parts = JAR.matcher(jar);
    assertThat(parts.matches()).as(jar).isTrue();
    String classifier = parts.group("classifier");
    return parts.group("name") + (classifier == null ? "" : classifier);
  }
}
