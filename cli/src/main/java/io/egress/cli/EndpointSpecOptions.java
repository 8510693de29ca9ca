package io.egress.cli;

import io.egress.webhook.delivery.Event;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What an endpoint can be given when it is created and when it is changed. */
final class EndpointSpecOptions {
  private static final String NONE = "none";
  private static final String ED25519 = "ed25519";

  @Option(
      names = "--description",
      paramLabel = "TEXT",
      description = "what it is for; empty for none")
  private @Nullable String description;

  @Option(
      names = "--max-per-second",
      paramLabel = "N",
      description = "most attempts begun per second, from 1 to 10000, or none")
  private @Nullable String maxPerSecond;

  @Option(
      names = "--max-in-flight",
      paramLabel = "N",
      description = "most concurrent attempts, from 1 to 64, or none")
  private @Nullable String maxInFlight;

  @Option(
      names = "--standard-webhooks",
      arity = "0..1",
      paramLabel = ED25519,
      parameterConsumer = Signatures.class,
      description =
          "also sign by Standard Webhooks, for receivers that verify with its libraries or Svix'; with"
              + " ed25519, they verify with a public key")
  private @Nullable Object standardWebhooks;

  @Option(names = "--no-standard-webhooks", description = "do not")
  private boolean noStandardWebhooks;

  @Option(
      names = "--events",
      split = ",",
      paramLabel = "EVENT",
      description =
          "what to send besides capture.processed: capture.updated when a capture shows something else than"
              + " before, capture.erased, both with a comma between them, or none")
  private @Nullable List<String> events;

  @Option(
      names = "--payload",
      paramLabel = "KIND",
      description =
          "document, or reference: webhooks say only where the document is, and the receiver reads it with a"
              + " key")
  private @Nullable String payload;

  @Option(
      names = "--compress",
      description = "send bodies compressed by gzip; the signature covers the compressed bytes")
  private boolean compress;

  @Option(names = "--no-compress", description = "send them as they are")
  private boolean noCompress;

  @Mixin private FilterOptions filter = new FilterOptions();

  /** Takes only the word: what follows may be the workspace. */
  static final class Signatures implements IParameterConsumer {
    @Override
    public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
      boolean given = !words.isEmpty() && words.peek().equals(ED25519);
      option.setValue(given ? words.pop() : (Object) true);
    }
  }

  /** Adds what was given. */
  void putInto(JsonObject endpoint) {
    if (description != null) {
      endpoint.put("description", description.isBlank() ? null : description);
    }
    putLimit(endpoint, "max_per_second", maxPerSecond);
    putLimit(endpoint, "max_in_flight", maxInFlight);
    if (noStandardWebhooks) {
      endpoint.put("standard_webhooks", false);
    }
    if (standardWebhooks != null) {
      endpoint.put("standard_webhooks", standardWebhooks);
    }
    if (events != null) {
      Set<String> all = new LinkedHashSet<>(List.of(Event.CAPTURE_PROCESSED.word()));
      events.stream().filter(event -> !event.equals(NONE)).forEach(all::add);
      endpoint.put("events", new JsonArray(List.copyOf(all)));
    }
    if (payload != null) {
      endpoint.put("payload", payload);
    }
    if (compress || noCompress) {
      endpoint.put("compress", compress);
    }
    filter.putInto(endpoint);
  }

  private static void putLimit(JsonObject endpoint, String name, @Nullable String value) {
    if (value == null) {
      return;
    }
    try {
      endpoint.put(name, value.equals(NONE) ? null : Integer.valueOf(value));
    } catch (NumberFormatException noNumber) {
      throw new UsageException(
          "--" + name.replace('_', '-') + " takes a number or none, not '" + value + "'");
    }
  }
}
