package io.egress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.endpoint.SecretBox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredSecretTest {
  private final Path data;
  private final List<String> made = new ArrayList<>();

  StoredSecretTest(@TempDir Path folder) {
    this.data = folder.resolve("data");
  }

  @Test
  void isGeneratedOnceAndKept() {
    String first = complete(new HashMap<>());

    assertThat(complete(new HashMap<>())).isEqualTo(first);
    assertThat(made).containsExactly(first);
  }

  @Test
  void decryptsExistingSecrets() {
    UUID endpoint = UUID.randomUUID();
    byte[] sealed = SecretBox.parse(complete(new HashMap<>())).seal("whsec_x", endpoint);

    assertThat(SecretBox.parse(complete(new HashMap<>())).open(sealed, endpoint))
        .isEqualTo("whsec_x");
  }

  @Test
  void isReadableByTheOwnerOnly() throws IOException {
    complete(new HashMap<>());

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    try (Stream<Path> files = Files.list(data)) {
      assertThat(files).as("no draft is left").containsExactly(file());
    }
  }

  @Test
  void isReplacedByAnExplicitSetting() {
    String given = SecretBox.newKey();

    assertThat(complete(new HashMap<>(Map.of("EGRESS_SECRET_KEY", given)))).isEqualTo(given);
    assertThat(data).doesNotExist();
  }

  @Test
  void treatsABlankSettingAsAbsent() {
    assertThat(complete(new HashMap<>(Map.of("EGRESS_SECRET_KEY", " ")))).isNotBlank();
    assertThat(made).hasSize(1);
  }

  private Path file() {
    return StoredSecret.SECRET_KEY.file(data);
  }

  private String complete(Map<String, String> environment) {
    StoredSecret.SECRET_KEY.complete(environment, data, made::add);
    return environment.getOrDefault("EGRESS_SECRET_KEY", "");
  }
}
