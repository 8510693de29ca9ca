package io.egress.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
class BrokerClusterTest {
  @Test
  void aBrokerWhoseDataAreGoneComesBackWithThemFromTheOthers(@TempDir Path folder)
      throws Exception {
    try (BrokerCluster cluster =
            BrokerCluster.start(
                folder,
                3,
                Map.of(
                    "broker.session.timeout.ms", "3000", "broker.heartbeat.interval.ms", "1000"));
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      admin.createTopics(List.of(new NewTopic("kept", 3, (short) 3))).all().get();
      int leader = cluster.leader();
      cluster.kill(leader);
      assertThat(cluster.isRunning(leader)).isFalse();
      await().until(() -> cluster.leader() != leader);

      cluster.wipe(leader);
      cluster.start(leader);

      await()
          .until(() ->
              admin.describeTopics(List.of("kept")).allTopicNames().get().values().stream()
                  .flatMap(topic -> topic.partitions().stream())
                  .allMatch(partition -> partition.isr().size() == 3));
      cluster.terminate(leader);
      assertThat(cluster.isRunning(leader)).isFalse();
    }
  }
}
