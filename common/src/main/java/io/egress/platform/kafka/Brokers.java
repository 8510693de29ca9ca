package io.egress.platform.kafka;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Read-only queries of the brokers, which do not block an event loop. */
public final class Brokers {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final KafkaSettings settings;
  private @Nullable Admin admin;
  private boolean closed;

  /** Connects on first use, so brokers may be unavailable when it is created. */
  public Brokers(Vertx vertx, KafkaSettings settings) {
    this.vertx = vertx;
    this.settings = settings;
  }

  public Future<String> clusterId() {
    return ask(admin -> admin.describeCluster().clusterId().toCompletionStage());
  }

  /** Those of the topics that exist, by name. */
  public Future<Map<String, TopicDescription>> topics(Collection<String> names) {
    return ask(admin -> {
      Map<String, TopicDescription> found = new ConcurrentHashMap<>();
      List<CompletableFuture<Void>> answers = new ArrayList<>();
      admin
          .describeTopics(names)
          .topicNameValues()
          .forEach((name, topic) -> answers.add(putIfExists(found, name, topic)));
      return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
          .thenApply(_ -> found);
    });
  }

  private static CompletableFuture<Void> putIfExists(
      Map<String, TopicDescription> found, String name, KafkaFuture<TopicDescription> topic) {
    return topic
        .toCompletionStage()
        .handle((description, failure) -> {
          if (failure == null) {
            found.put(name, description);
          } else if (!(failure instanceof UnknownTopicOrPartitionException)) {
            throw new CompletionException(failure);
          }
          return (Void) null;
        })
        .toCompletableFuture();
  }

  public Future<Set<TopicPartition>> partitions(Collection<String> topics) {
    return ask(admin -> admin.describeTopics(topics).allTopicNames().toCompletionStage())
        .map(described ->
            described.values().stream()
                .flatMap(topic ->
                    topic.partitions().stream()
                        .map(p -> new TopicPartition(topic.name(), p.partition())))
                .collect(Collectors.toSet()));
  }

  public Future<Map<TopicPartition, Long>> offsets(
      Set<TopicPartition> partitions, OffsetSpec which) {
    Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
    partitions.forEach(partition -> wanted.put(partition, which));
    return ask(admin -> admin.listOffsets(wanted).all().toCompletionStage())
        .map(listed -> {
          Map<TopicPartition, Long> offsets = new HashMap<>();
          listed.forEach((partition, info) -> offsets.put(partition, info.offset()));
          return offsets;
        });
  }

  /** Without partitions for which the group has not committed an offset. */
  public Future<Map<TopicPartition, Long>> committed(String group) {
    return ask(admin ->
            admin
                .listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .toCompletionStage())
        .map(listed -> {
          Map<TopicPartition, Long> offsets = new HashMap<>();
          listed.forEach((partition, at) -> put(offsets, partition, at));
          return offsets;
        });
  }

  public Future<Void> close() {
    return vertx.executeBlocking(
        () -> {
          Admin opened = take();
          if (opened != null) {
            opened.close(CLOSE_MAX);
          }
          return null;
        },
        false);
  }

  private static void put(
      Map<TopicPartition, Long> offsets,
      TopicPartition partition,
      @Nullable OffsetAndMetadata committed) {
    if (committed != null) {
      offsets.put(partition, committed.offset());
    }
  }

  /** Creating the client resolves the brokers' names, which may block. */
  private <T> Future<T> ask(Function<Admin, CompletionStage<T>> question) {
    return vertx
        .executeBlocking(this::opened, false)
        .compose(opened ->
            Future.fromCompletionStage(question.apply(opened), vertx.getOrCreateContext()));
  }

  private synchronized Admin opened() {
    if (closed) {
      throw new IllegalStateException("the connection to the brokers is closed");
    }
    Admin opened = admin;
    if (opened == null) {
      opened = TopicAdmin.open(settings);
      admin = opened;
    }
    return opened;
  }

  private synchronized @Nullable Admin take() {
    closed = true;
    return admin;
  }
}
