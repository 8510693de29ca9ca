package io.egress.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComposeFileTest {
  private static final Path PROJECT = Path.of("..", "..");

  private final String compose;

  ComposeFileTest() throws IOException {
    this.compose = Files.readString(PROJECT.resolve("docker-compose.yml"));
  }

  @Test
  void usesTheServerVersionsOfTheTests() {
    assertThat(compose)
        .contains("image: " + Containers.KAFKA_IMAGE + "\n")
        .contains("image: " + Containers.POSTGRES_IMAGE + "\n");
  }

  @Test
  void requiresTheGeneratedSecrets(@TempDir Path folder) throws Exception {
    Path made = folder.resolve("env");
    assertThat(makeEnv(made)).isZero();
    Set<String> needed = names("\\$\\{([A-Z_]+):\\?", compose);
    Set<String> generated = new TreeSet<>(needed);
    generated.addAll(Set.of("POSTGRES_OWNER_PASSWORD", "EGRESS_DATABASE_OWNER_URL"));
    assertThat(names("(?m)^([A-Z_]+)=.{20,}$", Files.readString(made))).isEqualTo(generated);
    assertThat(names("(?m)^([A-Z_]+)=$", Files.readString(PROJECT.resolve(".env.example"))))
        .isEqualTo(needed);
  }

  @Test
  void documentsEveryOtherVariable() throws IOException {
    assertThat(names("(?m)^#([A-Z_]+)=", Files.readString(PROJECT.resolve(".env.example"))))
        .isEqualTo(names("\\$\\{([A-Z_]+):-|(?m)^ +(EGRESS_[A-Z_]+):$", compose));
  }

  @Test
  void keepsSecretsThatExist(@TempDir Path folder) throws Exception {
    Path made = folder.resolve("env");
    Files.writeString(made, "POSTGRES_PASSWORD=kept");
    assertThat(makeEnv(made)).isEqualTo(1);
    assertThat(made).hasContent("POSTGRES_PASSWORD=kept");
  }

  private static int makeEnv(Path file) throws IOException, InterruptedException {
    return new ProcessBuilder(
            PROJECT.resolve("deploy/make-env").toAbsolutePath().toString(), file.toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  private static Set<String> names(String pattern, String text) {
    Set<String> names = new TreeSet<>();
    Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(found -> found.group(found.group(1) == null ? 2 : 1))
        .forEach(names::add);
    return names;
  }
}
