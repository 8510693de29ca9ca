package io.egress.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.testing.Traces;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaBrokerTest {
  private final Path folder;

  KafkaBrokerTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private KafkaBroker start() {
    return KafkaBroker.start(folder, Durability.UNSYNCED);
  }

  @Test
  void restartsOnItsPortWithItsData() throws Exception {
    try (KafkaBroker broker = start()) {
      String bootstrap = broker.bootstrap();
      int port = port(bootstrap);
      Traces.leaveRecord(bootstrap, "record");

      broker.stop();
      assertThat(FreePort.isFree(port)).isTrue();
      broker.start();
      broker.start();

      assertThat(broker.bootstrap()).isEqualTo(bootstrap);
      assertThat(Traces.records(bootstrap)).containsExactly("record");
    }
  }

  @Test
  @Tag("full")
  void movesWhenItsPortIsTaken() throws Exception {
    String before;
    try (KafkaBroker broker = start()) {
      before = broker.bootstrap();
      Traces.leaveRecord(before, "record");
    }
    try (ServerSocket taken = new ServerSocket(port(before), 1, InetAddress.getLoopbackAddress());
        KafkaBroker broker = start()) {
      assertThat(port(broker.bootstrap())).isNotEqualTo(taken.getLocalPort());
      assertThat(Traces.records(broker.bootstrap())).containsExactly("record");
    }
  }

  @Test
  @Tag("full")
  void returnsToItsPortOnceThatIsFree() throws Exception {
    try (KafkaBroker broker = start()) {
      broker.stop();
      try (ServerSocket taken =
          new ServerSocket(port(broker.bootstrap()), 1, InetAddress.getLoopbackAddress())) {
        assertThatThrownBy(broker::start)
            .isInstanceOf(EmbeddedBackendException.class)
            .hasMessageContaining(Integer.toString(taken.getLocalPort()));
      }
      broker.start();
      Traces.leaveRecord(broker.bootstrap(), "record");
    }
  }

  @Test
  @Tag("full")
  void createsNoTopicOnALookup() throws Exception {
    try (KafkaBroker broker = start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()));
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrap(), "group.id", "asking"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
      consumer.subscribe(List.of("nowhere"));
      consumer.poll(Duration.ofSeconds(1));
      assertThat(admin.listTopics().names().get(10, TimeUnit.SECONDS)).doesNotContain("nowhere");
    }
  }

  @Test
  @Tag("full")
  void isStartedAgainAfterItEndedByItself() throws Exception {
    try (KafkaBroker broker = start()) {
      Traces.leaveRecord(broker.bootstrap(), "record");

      broker.handle().destroyForcibly();
      broker.handle().onExit().get(10, TimeUnit.SECONDS);
      broker.restartIfFailed();

      assertThat(Traces.records(broker.bootstrap())).containsExactly("record");
    }
  }

  @Test
  @Tag("full")
  void saysWhyItDoesNotStart() throws Exception {
    try (KafkaBroker broker = start()) {
      broker.stop();
      Files.writeString(folder.resolve("data").resolve("meta.properties"), "version=none");

      assertThatThrownBy(broker::start)
          .isInstanceOf(EmbeddedBackendException.class)
          .hasMessageContaining("its process ended with status")
          .hasMessageContaining("meta.properties");
    }
  }

  private static int port(String bootstrap) {
    return Integer.parseInt(bootstrap.substring(bootstrap.indexOf(':') + 1));
  }
}
