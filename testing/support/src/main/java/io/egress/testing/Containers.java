package io.egress.testing;

import org.apache.kafka.common.utils.AppInfoParser;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** The images of docker-compose.yml, tuned for tests like the embedded servers. */
final class Containers {
  static final String POSTGRES_IMAGE = "postgres:17";
  static final String KAFKA_IMAGE = "apache/kafka:" + AppInfoParser.getVersion();

  private static final int POSTGRES_PORT = 5432;
  private static final String DATABASE = "egress";

  private Containers() {}

  static boolean engineAnswers() {
    return DockerClientFactory.instance().isDockerAvailable();
  }

  static BackendSource.Server postgres() {
    PostgreSQLContainer container =
        new PostgreSQLContainer(POSTGRES_IMAGE)
            .withDatabaseName(DATABASE)
            // The library's own wait counts lines of the log. Before the server is ready for good,
            // it answers on its socket only.
            .waitingFor(Wait.forSuccessfulCommand("pg_isready --host=127.0.0.1"))
            .withCommand("postgres", "-c", "fsync=off", "-c", "max_connections=200");
    container.start();
    String address =
        "postgresql://%s:%s@%s:%d/%s"
            .formatted(
                container.getUsername(),
                container.getPassword(),
                container.getHost(),
                container.getMappedPort(POSTGRES_PORT),
                DATABASE);
    return new BackendSource.Server(address, false, container::stop);
  }

  static BackendSource.Server kafka() {
    KafkaContainer container =
        new KafkaContainer(KAFKA_IMAGE).withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false");
    container.start();
    return new BackendSource.Server(container.getBootstrapServers(), false, container::stop);
  }
}
