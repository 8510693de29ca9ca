package io.egress.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNullElse;

import io.egress.transcript.stream.Cursor;
import io.egress.transcript.stream.Feed;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.SigningSecrets;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.DocumentHead;
import io.egress.webhook.send.Envelope;
import io.egress.webhook.send.WebhookSignature;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code egress listen}: webhooks for developers of receivers, without an endpoint that the service
 * can reach.
 */
@Command(
    name = "listen",
    description =
        "Posts signed webhooks to a receiver on your machine while you develop it. It follows "
            + "a workspace's stream through the public API, so the service need not reach the "
            + "receiver. Nothing is retried; with --pages, a page is posted until it is accepted.",
    footer = {
      "",
      "Print a signing secret, and post what finishes from now on:",
      "  EGRESS_API_KEY=service_... \\",
      "      egress listen --forward-to http://localhost:3000/hook",
      "Post the whole stream to a service elsewhere, with a secret of your own:",
      "  egress listen --url https://transcripts.example.com --key file:api-key \\",
      "      --secret env:SIGNING_SECRET --from-start \\",
      "      --forward-to http://localhost:3000/hook"
    })
final class ListenCommand implements Callable<Integer> {
  /** How long the service holds a page that would be empty. */
  private static final Duration WAIT = Duration.ofSeconds(30);

  /** The same if there may be changes meanwhile. */
  private static final Duration WAIT_BESIDE_CHANGES = Duration.ofSeconds(2);

  /** For a service that stops, which holds no page. */
  private static final Duration POLL_PERIOD = Duration.ofSeconds(1);

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  @Spec private CommandSpec spec = CommandSpec.create();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();

  @Option(
      names = "--forward-to",
      paramLabel = "URL",
      required = true,
      description = "the receiver, for instance http://localhost:3000/hook")
  private URI forwardTo = URI.create("");

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:${env:EGRESS_PUBLIC_PORT:-8080}",
      description = "the service's public address (${DEFAULT-VALUE})")
  private String url = "";

  @Option(
      names = "--key",
      paramLabel = "KEY",
      defaultValue = "env:EGRESS_API_KEY",
      description = "an API key of the workspace (EGRESS_API_KEY); " + SecretText.FORMS)
  private SecretText key = new SecretText("", Map.of());

  @Option(
      names = "--secret",
      paramLabel = "SECRET",
      description =
          "what to sign with; one is made and printed if none is given; " + SecretText.FORMS)
  private @Nullable SecretText secret;

  @Option(
      names = "--standard-webhooks",
      description = "also sign by Standard Webhooks, as for endpoints with that option")
  private boolean standardWebhooks;

  private String apiKey = "";

  @Option(names = "--from-start", description = "also post captures that finished before now")
  private boolean fromStart;

  @Option(
      names = "--pages",
      description =
          "post pages, as to endpoints with the delivery stream; each is posted until it is accepted")
  private boolean pages;

  @Option(
      names = "--changes",
      description =
          "with --pages: also post what becomes of captures, as to endpoints that subscribe to it")
  private boolean changes;

  @Option(names = "--count", paramLabel = "N", description = "exit after this many webhooks")
  private long count = Long.MAX_VALUE;

  @Override
  public Integer call() throws InterruptedException {
    if (forwardTo.getHost() == null
        || !Set.of("http", "https").contains(requireNonNullElse(forwardTo.getScheme(), ""))) {
      throw new ParameterException(
          spec.commandLine(), "--forward-to is not a URL such as http://localhost:3000/hook");
    }
    if (changes && !pages) {
      throw new ParameterException(spec.commandLine(), "--changes is only for --pages");
    }
    apiKey = key.value();
    String signingSecret = secret == null ? SigningSecrets.generate() : secret.value();
    if (secret == null) {
      if (standardWebhooks) {
        print("standard-webhooks  " + SigningSecrets.inStandardForm(signingSecret));
      }
      print("signing secret  " + signingSecret);
    }
    WebhookSignature signature = new WebhookSignature(List.of(signingSecret), standardWebhooks);
    String cursor = fromStart ? null : end(Feed.CAPTURES);
    String changesCursor = changes && !fromStart ? end(Feed.CHANGES) : null;
    print("following       " + url);
    long forwarded = 0;
    while (true) {
      long askedNanos = System.nanoTime();
      JsonObject page = page(Feed.CAPTURES, after(cursor), changes ? WAIT_BESIDE_CHANGES : WAIT);
      forwarded +=
          pages
              ? forwardPage(Feed.CAPTURES, page, cursor, signature)
              : forwardEach(page, count - forwarded, signature);
      if (forwarded >= count) {
        return 0;
      }
      cursor = cursorAfter(page, cursor);
      if (changes && !hasNext(page)) {
        JsonObject changed = page(Feed.CHANGES, after(changesCursor), Duration.ZERO);
        forwarded += forwardPage(Feed.CHANGES, changed, changesCursor, signature);
        changesCursor = cursorAfter(changed, changesCursor);
        if (forwarded >= count) {
          return 0;
        }
      }
      // A service that stops, or holds too many requests, answers at once.
      boolean held = System.nanoTime() - askedNanos > POLL_PERIOD.toNanos();
      if (page.getJsonArray("captures").isEmpty() && !held) {
        pause();
      }
    }
  }

  private static void pause() throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(POLL_PERIOD.toNanos());
  }

  /** Returns how many captures were posted, of at most {@code max}. */
  private long forwardEach(JsonObject page, long max, WebhookSignature signature)
      throws InterruptedException {
    long posted = 0;
    for (Object capture : page.getJsonArray("captures")) {
      if (posted < max) {
        forward((JsonObject) capture, signature);
        posted++;
      }
    }
    return posted;
  }

  /** Posts the page until it is accepted. Returns how many pages were posted. */
  private long forwardPage(
      Feed feed, JsonObject page, @Nullable String after, WebhookSignature signature)
      throws InterruptedException {
    if (page.getJsonArray(feed.word()).isEmpty()) {
      return 0;
    }
    while (!isAccepted(feed, page, after, signature)) {
      pause();
    }
    return 1;
  }

  private void print(String line) {
    Output.line(spec, line);
  }

  /** The cursor after everything in a feed. Services of 1.0.0 have to be read to the end. */
  private @Nullable String end(Feed feed) throws InterruptedException {
    JsonObject start = page(feed, "start=now", Duration.ZERO);
    String now = start.getJsonObject("pageInfo").getString("endCursor");
    if (start.getJsonArray(feed.word()).isEmpty() && now != null) {
      return now;
    }
    String cursor = null;
    JsonObject page;
    do {
      page = page(feed, after(cursor), Duration.ZERO);
      cursor = cursorAfter(page, cursor);
    } while (hasNext(page));
    return cursor;
  }

  private static String after(@Nullable String cursor) {
    return cursor == null ? "" : "after=" + URLEncoder.encode(cursor, UTF_8);
  }

  /** {@code place} is a part of the query. */
  private JsonObject page(Feed feed, String place, Duration wait) throws InterruptedException {
    String query = "?limit=100&wait=" + wait.toSeconds() + (place.isEmpty() ? "" : "&" + place);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + feed.path() + query))
            .timeout(TIMEOUT.plus(wait))
            .header("authorization", "Bearer " + apiKey)
            .build();
    try {
      HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(
            new JsonObject(answer.body()).getJsonObject("error").getString("message"));
      }
      return new JsonObject(answer.body());
    } catch (IOException failure) {
      throw new UncheckedIOException(url + " does not answer (set --url)", failure);
    }
  }

  /** Stands for the endpoint that there is none of. */
  private UUID receiver() {
    return UUID.nameUUIDFromBytes(forwardTo.toString().getBytes(UTF_8));
  }

  private void forward(JsonObject capture, WebhookSignature signature) throws InterruptedException {
    UUID captureId = id(capture);
    UUID deliveryId = DeliveryId.of(receiver(), captureId);
    post(
        new Webhook(
            Event.CAPTURE_PROCESSED, deliveryId, new Content.Document(head(capture)), signature),
        captureId + "  %s  " + VisibleText.line(capture.getString("title")));
  }

  /** Posts the page once. */
  private boolean isAccepted(
      Feed feed, JsonObject page, @Nullable String after, WebhookSignature signature)
      throws InterruptedException {
    List<Content.Page.Entry> entries =
        page.getJsonArray(feed.word()).stream()
            .map(JsonObject.class::cast)
            .map(each -> feed == Feed.CHANGES ? ofChange(each) : ofStream(each))
            .toList();
    Cursor before = after == null ? null : Cursor.decode(after).orElseThrow();
    String end = page.getJsonObject("pageInfo").getString("endCursor");
    Content content =
        new Content.Page(feed, before, entries, Cursor.decode(end).orElseThrow(), hasNext(page));
    UUID deliveryId = DeliveryId.ofPage(receiver(), feed, before == null ? 0 : before.position());
    String outcome =
        post(
            new Webhook(Origin.ofPage(feed).event(), deliveryId, content, signature),
            "%d %s  %%s  up to %s".formatted(entries.size(), feed.word(), end));
    return outcome.matches("2[0-9]{2}");
  }

  private static Content.Page.Entry ofStream(JsonObject capture) {
    return Content.Page.Entry.ofStream(id(capture), new DocumentHead(0, head(capture)));
  }

  private static Content.Page.Entry ofChange(JsonObject change) {
    JsonObject capture = change.getJsonObject("capture");
    DocumentHead head =
        capture == null ? null : new DocumentHead(change.getLong("revision"), head(capture));
    return Content.Page.Entry.ofChange(
        id(change), change.getInstant("changed_at"), head, change.getString("reason"));
  }

  private static UUID id(JsonObject entry) {
    return UUID.fromString(entry.getString("id"));
  }

  /** What is posted, and who signs it. */
  private record Webhook(
      Event event, UUID deliveryId, Content content, WebhookSignature signature) {}

  /** Prints a line, in which {@code %s} stands for the outcome, and returns that. */
  private String post(Webhook webhook, String line) throws InterruptedException {
    Instant now = Instant.now();
    String deliveryId = webhook.deliveryId().toString();
    WebhookSignature signature = webhook.signature();
    Envelope envelope =
        Envelope.compose(webhook.event(), webhook.deliveryId(), now, webhook.content());
    HttpRequest.Builder request =
        HttpRequest.newBuilder(forwardTo)
            .timeout(TIMEOUT)
            .header("content-type", "application/json")
            .header("x-service-event", webhook.event().word())
            .header("x-service-delivery", deliveryId)
            .header("x-service-signature", signature.sign(now.getEpochSecond(), envelope))
            .POST(BodyPublishers.ofByteArray(envelope.buffer().getBytes()));
    if (signature.hasStandardForm()) {
      request
          .header("webhook-id", deliveryId)
          .header("webhook-timestamp", Long.toString(now.getEpochSecond()))
          .header("webhook-signature", signature.signByStandard(now.getEpochSecond(), envelope));
    }
    long begun = System.nanoTime();
    String outcome = outcome(request.build());
    long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
    print(
        now.truncatedTo(ChronoUnit.SECONDS)
            + "  "
            + line.replace("%s", outcome + "  " + millis + " ms"));
    return outcome;
  }

  private String outcome(HttpRequest request) throws InterruptedException {
    try {
      return Integer.toString(http.send(request, BodyHandlers.discarding()).statusCode());
    } catch (IOException failure) {
      return String.valueOf(failure.getMessage() == null ? "no connection" : failure.getMessage());
    }
  }

  /** {@code emitted_at} is the last field of a document. */
  private static byte[] head(JsonObject capture) {
    String document = capture.encode();
    String field = "\"emitted_at\":\"";
    return document.substring(0, document.lastIndexOf(field) + field.length()).getBytes(UTF_8);
  }

  private static @Nullable String cursorAfter(JsonObject page, @Nullable String before) {
    String cursor = page.getJsonObject("pageInfo").getString("endCursor");
    return cursor == null ? before : cursor;
  }

  private static boolean hasNext(JsonObject page) {
    return page.getJsonObject("pageInfo").getBoolean("hasNextPage");
  }
}
