package io.egress.kafka;

import io.egress.settings.KafkaSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.kafka.admin.KafkaAdminClient;
import io.vertx.kafka.admin.NewTopic;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.errors.TopicExistsException;

/** Creates topics that are missing; never touches one that exists. */
public final class TopicAdmin {
  private static final String API_TIMEOUT_MS = "10000";

  private TopicAdmin() {}

  public static Future<Void> ensure(Vertx vertx, KafkaSettings settings, List<String> topics) {
    KafkaAdminClient admin =
        KafkaAdminClient.create(
            vertx,
            Map.of(
                "bootstrap.servers", settings.bootstrap(),
                "default.api.timeout.ms", API_TIMEOUT_MS,
                "request.timeout.ms", API_TIMEOUT_MS));
    return admin
        .listTopics()
        .compose(
            existing -> {
              List<NewTopic> missing =
                  topics.stream()
                      .filter(topic -> !Set.copyOf(existing).contains(topic))
                      .map(
                          topic ->
                              new NewTopic(topic, settings.partitions(), settings.replication()))
                      .toList();
              return missing.isEmpty()
                  ? Future.succeededFuture()
                  : admin.createTopics(missing).recover(TopicAdmin::unlessSomebodyElseDid);
            })
        .<Void>mapEmpty()
        .eventually(admin::close);
  }

  private static Future<Void> unlessSomebodyElseDid(Throwable failure) {
    return failure instanceof TopicExistsException
        ? Future.succeededFuture()
        : Future.failedFuture(failure);
  }
}
