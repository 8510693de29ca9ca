package io.egress.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.testing.Traces;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBackendsTest {
  private final Path dataDir;

  EmbeddedBackendsTest(@TempDir Path dataDir) {
    this.dataDir = dataDir;
  }

  @Test
  @Tag("full")
  void keepAddressesAndDataWhenClosedAndStartedAgain() throws Exception {
    String databaseUrl;
    String bootstrap;
    try (EmbeddedBackends backends = EmbeddedBackends.start(dataDir)) {
      databaseUrl = backends.databaseUrl();
      bootstrap = backends.kafkaBootstrap();
      Traces.leaveRow(databaseUrl, "row");
      Traces.leaveRecord(bootstrap, "record");
      assertThat(Traces.query(databaseUrl, "SHOW fsync")).containsExactly("on");
      assertThat(Traces.query(databaseUrl, "SHOW synchronous_commit")).containsExactly("on");
    }
    try (EmbeddedBackends backends = EmbeddedBackends.start(dataDir)) {
      assertThat(backends.databaseUrl()).isEqualTo(databaseUrl);
      assertThat(backends.kafkaBootstrap()).isEqualTo(bootstrap);
      assertThat(Traces.rows(databaseUrl)).containsExactly("row");
      assertThat(Traces.records(bootstrap)).containsExactly("record");
    }
  }

  @Test
  @Tag("full")
  void refuseAFolderThatAnotherProcessUsesAndTakeItOverOnceThatIsKilled() throws Exception {
    try (BackendsProcess other = BackendsProcess.spawn(dataDir)) {
      assertThatThrownBy(() -> EmbeddedBackends.start(dataDir))
          .isInstanceOf(EmbeddedBackendException.class)
          .hasMessageContaining(dataDir.toRealPath().toString())
          .hasMessageContaining("process " + other.pid());
      other.kill();
    }
    Path cluster = dataDir.toRealPath().resolve("postgres/data");
    assertThat(Postmaster.of(cluster)).as("PostgreSQL outlives its killed parent").isPresent();
    try (EmbeddedBackends backends = EmbeddedBackends.start(dataDir)) {
      assertThat(Traces.rows(backends.databaseUrl())).containsExactly(BackendsProcess.TRACE);
      assertThat(Traces.records(backends.kafkaBootstrap())).containsExactly(BackendsProcess.TRACE);
    }
    assertThat(Postmaster.of(cluster)).isEmpty();
  }

  @Test
  @Tag("full")
  void deleteAScratchFolder() {
    EmbeddedBackends backends = EmbeddedBackends.start(EmbeddedOptions.scratch().unsynced());
    Path folder = backends.dataDir();
    assertThat(folder.resolve("postgres/data")).exists();
    assertThat(folder.resolve("kafka/data")).exists();

    backends.close();
    backends.close();

    assertThat(folder).doesNotExist();
  }

  @Test
  void startOnlyWhatIsNeeded() {
    EmbeddedOptions options = EmbeddedOptions.persistent(dataDir).unsynced();
    try (EmbeddedBackends backends = EmbeddedBackends.start(options.withoutKafka())) {
      assertThat(backends.databaseUrl()).startsWith("postgresql://");
      assertThatThrownBy(backends::kafkaBootstrap).isInstanceOf(IllegalStateException.class);
      assertThat(dataDir.resolve("kafka")).doesNotExist();
    }
  }

  @Test
  @Tag("full")
  void releaseTheFolderWhenOneCannotStart() throws Exception {
    Files.writeString(dataDir.resolve("kafka"), "a file where a folder must be");
    EmbeddedOptions options = EmbeddedOptions.persistent(dataDir).unsynced();
    assertThatThrownBy(() -> EmbeddedBackends.start(options))
        .isInstanceOf(EmbeddedBackendException.class)
        .hasMessageContaining("kafka");

    Files.delete(dataDir.resolve("kafka"));
    EmbeddedBackends.start(options.withoutPostgres()).close();

    assertThat(Postmaster.of(dataDir.toRealPath().resolve("postgres/data"))).isEmpty();
  }
}
