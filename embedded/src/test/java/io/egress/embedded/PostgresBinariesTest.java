package io.egress.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PostgresBinariesTest {
  @Test
  void comeFromTheArchiveForThisPlatform() {
    assertThat(PostgresBinaries.archiveName("Linux", "amd64"))
        .isEqualTo("postgres-linux-x86_64.txz");
    assertThat(PostgresBinaries.archiveName("Linux", "aarch64"))
        .isEqualTo("postgres-linux-arm_64.txz");
    assertThat(PostgresBinaries.archiveName("Mac OS X", "x86_64"))
        .isEqualTo("postgres-darwin-x86_64.txz");
    assertThat(PostgresBinaries.archiveName("Mac OS X", "aarch64"))
        .isEqualTo("postgres-darwin-arm_64.txz");
  }

  @Test
  void listsSupportedPlatforms() {
    assertThatThrownBy(() -> PostgresBinaries.archive("Linux", "riscv64"))
        .isInstanceOf(EmbeddedBackendException.class)
        .hasMessageContaining("riscv64")
        .hasMessageContaining("name a server of your own");
  }

  @Test
  void areStoredOutsideRootsHome() {
    assertThat(UserCache.candidates(Map.of(), "root", "/root", "/tmp"))
        .containsExactly(
            Path.of("/var/cache/transcript-egress"), Path.of("/tmp/transcript-egress-root"));
  }

  @Test
  void areStoredInTheUsersCacheFolder() {
    assertThat(UserCache.candidates(Map.of(), "ann", "/home/ann", "/tmp"))
        .startsWith(Path.of("/home/ann/.cache/transcript-egress"));
    assertThat(
            UserCache.candidates(Map.of("XDG_CACHE_HOME", "/caches"), "ann", "/home/ann", "/tmp"))
        .startsWith(Path.of("/caches/transcript-egress"));
    assertThat(UserCache.candidates(Map.of(), "ann", "?", "/tmp"))
        .containsExactly(Path.of("/tmp/transcript-egress-ann"));
  }
}
