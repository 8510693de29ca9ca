package io.egress.kafka;

import static java.util.Objects.requireNonNull;

import io.egress.settings.KafkaSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;

/** A line to the brokers that is there only to hear whether they answer. */
public final class Brokers {
  private static final int ANSWER_MILLIS_MAX = 3_000;
  private static final Duration CLOSE_MAX = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final Admin admin;

  public Brokers(Vertx vertx, KafkaSettings settings) {
    this.vertx = requireNonNull(vertx, "vertx is null");
    this.admin = TopicAdmin.open(settings);
  }

  /** Fails when none of them answers in time. */
  public Future<Void> answer() {
    return Future.fromCompletionStage(
            admin
                .describeCluster(new DescribeClusterOptions().timeoutMs(ANSWER_MILLIS_MAX))
                .clusterId()
                .toCompletionStage(),
            vertx.getOrCreateContext())
        .mapEmpty();
  }

  public Future<Void> close() {
    return vertx.executeBlocking(
        () -> {
          admin.close(CLOSE_MAX);
          return null;
        },
        false);
  }
}
