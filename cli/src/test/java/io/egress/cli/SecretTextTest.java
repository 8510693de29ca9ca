package io.egress.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretTextTest {
  private static final Map<String, String> ENVIRONMENT = Map.of("TOKEN", "of the variable");

  @Test
  void isWhereTheOptionSays(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), "of the file\n");

    assertThat(read("env:TOKEN")).isEqualTo("of the variable");
    assertThat(read("file:" + file)).isEqualTo("of the file");
    assertThat(read("as it is")).isEqualTo("as it is");
  }

  @Test
  void linesOfStandardInputFollowEachOther() {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream("first\nsecond\n\n".getBytes(UTF_8)));
    try {
      assertThat(read("-")).isEqualTo("first");
      assertThat(read("-")).isEqualTo("second");
      assertThatThrownBy(() -> read("-")).hasMessageContaining("no line");
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void whatIsMissingIsNamedAndNothingIsPrinted() {
    assertThatThrownBy(() -> read("env:OTHER")).hasMessageContaining("OTHER is not set");
    assertThatThrownBy(() -> read("file:/nowhere")).hasMessageContaining("/nowhere cannot be read");
    assertThat(new SecretText("whsec_a", ENVIRONMENT)).hasToString("SecretText[withheld]");
  }

  @Test
  void theValueOfAHeaderMayBeOne() throws Exception {
    SecretText.Header header =
        SecretText.Header.reader(ENVIRONMENT).convert("Authorization: env:TOKEN");

    assertThat(header.name()).isEqualTo("Authorization");
    assertThat(header.value().value()).isEqualTo("of the variable");
    assertThatThrownBy(() -> SecretText.Header.reader(ENVIRONMENT).convert("nothing"))
        .hasMessageContaining("'NAME: VALUE'");
  }

  private static String read(String given) {
    return new SecretText(given, ENVIRONMENT).value();
  }
}
