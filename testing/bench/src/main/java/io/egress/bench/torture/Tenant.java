package io.egress.bench.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.standalone.demo.SampleConversations;
import io.egress.webhook.delivery.Event;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A workspace with its pipeline, cursor loops, endpoints and administrator. */
final class Tenant {
  private static final int SEGMENTS = 4;
  private static final int READERS = 2;

  /** How long the pages of the second reader are held; those of the first are not. */
  private static final int HELD_SECONDS = 3;

  /**
   * An existing endpoint. {@code exactFrom} is the first position it is owed; a replay owes it what
   * was before. It is notified of erasures from {@code notifiedFromNanos} on.
   */
  record Endpoint(String name, UUID id, long exactFrom, boolean replayed, long notifiedFromNanos) {}

  private final String name;
  private final UUID id = UUID.randomUUID();
  private final Clients clients;
  private final Receivers receivers;
  private final Evidence evidence;
  private final SampleConversations conversations;
  private final String key;
  private final ConcurrentHashMap<String, Endpoint> endpoints = new ConcurrentHashMap<>();
  private final List<List<UUID>> readings = new CopyOnWriteArrayList<>();
  private final List<String> streams = new CopyOnWriteArrayList<>();
  private final Map<String, PageReader> streamCopies = new ConcurrentHashMap<>();
  private final Copy mirror = new Copy();
  private final AtomicInteger erasuresRead = new AtomicInteger();
  private int created;

  Tenant(String name, long seed, Clients clients, Receivers receivers, Evidence evidence)
      throws InterruptedException {
    this.name = name;
    this.clients = clients;
    this.receivers = receivers;
    this.evidence = evidence;
    this.conversations = new SampleConversations(seed, id);
    this.key =
        clients
            .internal("POST", "/workspaces/" + id + "/api-keys", new JsonObject().put("name", name))
            .getString("key");
    for (int i = 0; i < READERS; i++) {
      readings.add(new ArrayList<>());
    }
  }

  UUID id() {
    return id;
  }

  /** Writes a capture; returns when it is acknowledged. */
  UUID putCapture() throws InterruptedException {
    UUID captureId = UUID.randomUUID();
    JsonObject body;
    synchronized (conversations) {
      body = conversations.next(SEGMENTS);
    }
    clients.hook(captureId, body);
    evidence.acknowledged(captureId, id);
    return captureId;
  }

  boolean isOf(UUID captureId) {
    Evidence.Acknowledged acknowledged = evidence.acknowledged().get(captureId);
    return acknowledged != null && acknowledged.workspaceId().equals(id);
  }

  /**
   * The captures that its cursor loops have read, and its endpoints been sent in pages, in order.
   */
  List<List<UUID>> readings() {
    return readings;
  }

  int readers() {
    return READERS;
  }

  /** What a reader has that follows the stream and its changes. */
  Copy mirror() {
    return mirror;
  }

  /** By endpoint, those that are sent the stream and its changes. */
  Map<String, PageReader> streamCopies() {
    return Map.copyOf(streamCopies);
  }

  int erasuresRead() {
    return erasuresRead.get();
  }

  /** Runs one cursor loop until {@link Clients} end. */
  void read(int reader) throws InterruptedException {
    List<UUID> reading = readings.get(reader);
    String after = "";
    while (true) {
      long askedNanos = System.nanoTime();
      JsonObject page =
          clients.pull(
              key,
              "captures?limit=%d&wait=%d%s"
                  .formatted(1 + 37 * reader, reader * HELD_SECONDS, after));
      List<UUID> captures = ids(page.getJsonArray("captures"));
      for (UUID captureId : captures) {
        Evidence.Erased erased = evidence.erased().get(captureId);
        if (erased != null && erased.doneNanos() != 0 && erased.doneNanos() - askedNanos < 0) {
          evidence.violation("a page had capture " + captureId + ", which was erased before");
        }
      }
      synchronized (reading) {
        reading.addAll(captures);
      }
      JsonObject pageInfo = page.getJsonObject("pageInfo");
      String cursor = pageInfo.getString("endCursor");
      if (cursor != null) {
        after = "&after=" + cursor;
      }
      if (!pageInfo.getBoolean("hasNextPage")) {
        TimeUnit.MILLISECONDS.sleep(200);
      }
    }
  }

  /** Has a page open, with one session, until {@link Clients} end. */
  void visit() throws InterruptedException {
    String link =
        clients
            .internal(
                "POST", "/workspaces/" + id + "/portal-links", new JsonObject().put("role", "view"))
            .getString("url");
    String cookie = clients.openSession(token(link));
    while (true) {
      clients.page("/portal/" + id + "/", cookie);
      TimeUnit.MILLISECONDS.sleep(1_000);
    }
  }

  /** A link of 1.0.0 has it in the query. */
  private static String token(String link) {
    return link.substring(Math.max(link.indexOf('#'), link.indexOf('=')) + 1);
  }

  /** Keeps the mirror until {@link Clients} end. */
  void follow() throws InterruptedException {
    String ofStream = "";
    String ofChanges = "";
    while (true) {
      ofStream = follow("captures", ofStream);
      ofChanges = follow("changes", ofChanges);
      TimeUnit.MILLISECONDS.sleep(300);
    }
  }

  /** Reads a list to its end; returns where that is. */
  private String follow(String list, String from) throws InterruptedException {
    String after = from;
    boolean more = true;
    while (more) {
      JsonObject page = clients.pull(key, list + "?limit=10" + after);
      page.getJsonArray(list).forEach(each -> take((JsonObject) each));
      JsonObject pageInfo = page.getJsonObject("pageInfo");
      String cursor = pageInfo.getString("endCursor");
      after = cursor == null ? after : "&after=" + cursor;
      more = pageInfo.getBoolean("hasNextPage");
    }
    return after;
  }

  private void take(JsonObject entry) {
    UUID captureId = UUID.fromString(entry.getString("id"));
    switch (entry.getString("change", "entered")) {
      case "entered" -> mirror.take(captureId, 0, entry);
      case "updated" -> {
        if (mirror.take(captureId, entry.getLong("revision"), entry.getJsonObject("capture"))) {
          evidence.violation("capture " + captureId + " was updated after it was erased");
        }
      }
      default -> {
        if (!evidence.erased().containsKey(captureId)) {
          evidence.violation("capture " + captureId + " is said to be erased, which it was not");
        }
        mirror.erase(captureId);
        erasuresRead.incrementAndGet();
      }
    }
  }

  /** What the stream shows now. */
  Map<UUID, String> current() throws InterruptedException {
    Map<UUID, String> current = new HashMap<>();
    String after = "";
    boolean more = true;
    while (more) {
      JsonObject page = clients.pull(key, "captures?limit=100" + after);
      page.getJsonArray("captures")
          .forEach(each ->
              current.put(
                  UUID.fromString(((JsonObject) each).getString("id")),
                  Copy.shown((JsonObject) each)));
      JsonObject pageInfo = page.getJsonObject("pageInfo");
      after = "&after=" + pageInfo.getString("endCursor");
      more = pageInfo.getBoolean("hasNextPage");
    }
    return current;
  }

  /** Corrects an earlier capture, or the name of a member, or erases a member. */
  void change(Random random) throws InterruptedException {
    List<UUID> reading = readings.get(0);
    UUID captureId;
    synchronized (reading) {
      if (reading.isEmpty()) {
        return;
      }
      captureId = reading.get(random.nextInt(reading.size()));
    }
    UUID member = UUID.nameUUIDFromBytes("Ada Fischer".getBytes(UTF_8));
    switch (random.nextInt(8)) {
      case 0 ->
          clients.internal(
              "PUT",
              "/members/" + member,
              new JsonObject()
                  .put("workspace_id", id.toString())
                  .put("name", "Ada " + random.nextInt(1_000)));
      case 1 ->
          clients.internal("DELETE", "/workspaces/" + id + "/members/" + member, new JsonObject());
      default -> {
        JsonObject body;
        synchronized (conversations) {
          body = conversations.next(SEGMENTS);
        }
        clients.internalUnlessGone("PUT", "/captures/" + captureId, body);
      }
    }
  }

  private static List<UUID> ids(JsonArray things) {
    return things.stream()
        .map(thing -> UUID.fromString(((JsonObject) thing).getString("id")))
        .toList();
  }

  /** Erases some of the captures that were read, one next to the other. */
  void eraseSome(Random random) throws InterruptedException {
    List<UUID> some;
    List<UUID> reading = readings.get(0);
    synchronized (reading) {
      if (reading.isEmpty()) {
        return;
      }
      int first = random.nextInt(reading.size());
      some = List.copyOf(reading.subList(first, Math.min(reading.size(), first + 5)));
    }
    for (UUID captureId : some) {
      evidence.erasing(captureId);
      clients.internal(
          "DELETE", "/captures/" + captureId, new JsonObject().put("reason", "requested"));
      evidence.erased(captureId);
    }
  }

  /** Ends the workspace, of which nothing may be left. */
  void end() throws InterruptedException {
    clients.internal("DELETE", "/workspaces/" + id, new JsonObject());
    if (!clients.isDead(key)) {
      evidence.violation("a key of the ended workspace " + id + " was accepted");
    }
  }

  /** Endpoints that are owed everything from some position on. */
  List<Endpoint> owed() {
    return List.copyOf(endpoints.values());
  }

  Endpoint addEndpoint(Receivers.Kind kind, boolean fullHistory) throws InterruptedException {
    String endpoint = name + "-" + kind.name().toLowerCase(Locale.ROOT) + "-" + ++created;
    JsonObject answer =
        clients.internal(
            "POST",
            "/workspaces/" + id + "/endpoints",
            new JsonObject()
                .put("url", receivers.url(endpoint))
                .put("full_history", fullHistory)
                .put("events", new JsonArray(Event.words(Event.OF_CAPTURES)))
                .put("standard_webhooks", created % 2 == 0)
                .put("compress", created % 3 == 0));
    receivers.add(endpoint, id, kind, answer.getString("secret"));
    Endpoint added =
        new Endpoint(
            endpoint,
            UUID.fromString(answer.getString("id")),
            fullHistory ? 1 : 1 + answer.getLong("created_position", 0L),
            false,
            System.nanoTime());
    if (kind != Receivers.Kind.HANGING) {
      endpoints.put(endpoint, added);
    }
    return added;
  }

  /** Adds an endpoint that is sent the stream itself, which is one more reader of it. */
  void addStream(int batch) throws InterruptedException {
    String endpoint = name + "-stream-" + ++created;
    JsonObject answer =
        clients.internal(
            "POST",
            "/workspaces/" + id + "/endpoints",
            new JsonObject()
                .put("url", receivers.url(endpoint))
                .put("full_history", true)
                .put("delivery", "stream")
                .put("compress", created % 2 == 0)
                .put(
                    "events",
                    new JsonArray(
                        List.of("capture.processed", "capture.updated", "capture.erased")))
                .put("batch", batch));
    List<UUID> reading = new ArrayList<>();
    PageReader reader = new PageReader(endpoint, reading, evidence);
    receivers.add(endpoint, id, reader, answer.getString("secret"));
    readings.add(reading);
    streamCopies.put(endpoint, reader);
    streams.add(answer.getString("id"));
  }

  /** Nothing is skipped meanwhile. */
  void pauseStreams(boolean paused) throws InterruptedException {
    for (String stream : streams) {
      clients.internal(
          "PATCH",
          "/workspaces/" + id + "/endpoints/" + stream,
          new JsonObject().put("paused", paused));
    }
  }

  /** Adds an endpoint that gets what was before it, too. */
  void replay() throws InterruptedException {
    Endpoint added = addEndpoint(Receivers.Kind.HEALTHY, false);
    if (added.exactFrom() > 1) {
      clients.internal(
          "POST",
          path(added) + "/replays",
          new JsonObject().put("from_position", 1).put("to_position", added.exactFrom() - 1));
      endpoints.put(
          added.name(),
          new Endpoint(
              added.name(), added.id(), added.exactFrom(), true, added.notifiedFromNanos()));
    }
  }

  /** From then on nothing is owed to it: deliveries due while it is paused are skipped. */
  void pause(Endpoint endpoint, boolean paused) throws InterruptedException {
    endpoints.remove(endpoint.name());
    clients.internal("PATCH", path(endpoint), new JsonObject().put("paused", paused));
  }

  void delete(Endpoint endpoint) throws InterruptedException {
    endpoints.remove(endpoint.name());
    clients.internal("DELETE", path(endpoint), new JsonObject());
  }

  void rename(Random random) throws InterruptedException {
    String room = List.of("device0", "device1", "device2").get(random.nextInt(3));
    clients.internal(
        "PUT",
        "/devices/" + UUID.nameUUIDFromBytes(room.getBytes(UTF_8)),
        new JsonObject()
            .put("workspace_id", id.toString())
            .put("name", "Room " + random.nextInt(1_000)));
  }

  String path(Endpoint endpoint) {
    return "/workspaces/" + id + "/endpoints/" + endpoint.id();
  }
}
