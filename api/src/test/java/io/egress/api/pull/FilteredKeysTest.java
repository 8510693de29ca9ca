package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A key with a filter reads what matches it, and knows of nothing else. */
class FilteredKeysTest {
  private static final Service service = Service.shared();
  private static final int CAPTURES = 60;

  private UUID workspace;
  private List<UUID> devices;

  /** A capture as it was put. */
  private record Put(UUID id, String mode, UUID device) {}

  @BeforeEach
  void freshWorkspace() {
    workspace = UUID.randomUUID();
    devices = Stream.generate(UUID::randomUUID).limit(4).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void everyListHasWhatMatches(int seed) {
    Random random = new Random(seed);
    List<Put> all = putAll(random);
    Set<UUID> changed = new HashSet<>();
    Set<UUID> erased = new HashSet<>();
    for (Put each : all) {
      switch (random.nextInt(4)) {
        case 0 -> {
          erase(each);
          erased.add(each.id());
        }
        case 1 -> {
          put(each.id(), each.mode(), each.device(), "Corrected");
          changed.add(each.id());
        }
        default -> {}
      }
    }
    Set<String> modes = random.nextBoolean() ? Set.of("manual") : Set.of("manual", "ambient");
    Set<UUID> wanted = Set.copyOf(devices.subList(0, random.nextInt(3)));
    Predicate<Put> matches =
        each -> modes.contains(each.mode()) && (wanted.isEmpty() || wanted.contains(each.device()));
    String key = mint(filter(modes, wanted));
    List<UUID> mine = all.stream().filter(matches).map(Put::id).toList();
    List<UUID> readable = mine.stream().filter(id -> !erased.contains(id)).toList();

    assertThat(read("/api/v1/captures?limit=" + (1 + random.nextInt(9)), key, "captures"))
        .isEqualTo(readable);
    assertThat(read("/api/v1/changes?limit=" + (1 + random.nextInt(9)), key, "changes"))
        .containsExactlyInAnyOrderElementsOf(
            mine.stream().filter(id -> changed.contains(id) || erased.contains(id)).toList());
    assertThat(lines(service.pull("/api/v1/inventory", key))).isEqualTo(readable);
    for (Put each : all) {
      int status = !mine.contains(each.id()) ? 404 : erased.contains(each.id()) ? 410 : 200;
      assertThat(service.pull("/api/v1/captures/" + each.id(), key).statusCode()).isEqualTo(status);
      assertThat(copies(each.id()).contains(key.substring(key.length() - 4)))
          .as("the list of copies of " + each)
          .isEqualTo(mine.contains(each.id()));
    }
  }

  /** What it was when it entered counts, so that no correction moves it out of sight or into it. */
  @Test
  void aCorrectionChangesNothing() {
    String key = mint(filter(Set.of("manual"), Set.of()));
    UUID manual = UUID.randomUUID();
    UUID ambient = UUID.randomUUID();
    put(manual, "manual", devices.get(0), "One");
    put(ambient, "ambient", devices.get(0), "Two");
    put(manual, "ambient", devices.get(1), "One");
    put(ambient, "manual", devices.get(1), "Two");

    assertThat(read("/api/v1/captures", key, "captures")).containsExactly(manual);
    assertThat(read("/api/v1/changes", key, "changes")).containsExactly(manual);
  }

  @Test
  void aPullWaitsForWhatMatches() {
    String key = mint(filter(Set.of("manual"), Set.of()));
    CompletableFuture<HttpResponse<String>> held =
        CompletableFuture.supplyAsync(() -> service.pull("/api/v1/captures?wait=30", key));
    await().until(() -> service.metrics().anyMatch("egress_pull_held 1.0"::equals));
    put(UUID.randomUUID(), "ambient", devices.get(0), "Not this");
    UUID manual = UUID.randomUUID();
    put(manual, "manual", devices.get(0), "This");

    assertThat(ids(new JsonObject(held.join().body()), "captures")).containsExactly(manual);
  }

  @Test
  void aFilterIsShownAndSound() {
    assertThat(mintAnswer(new JsonObject()).statusCode()).isEqualTo(400);
    assertThat(mintAnswer(new JsonObject().put("modes", new JsonArray())).body())
        .contains("filter.modes: must not be empty");
    assertThat(mintAnswer(filter(Set.of("loud"), Set.of())).body()).contains("ambient, manual");
    JsonObject mistyped =
        filter(Set.of("manual"), Set.of()).put("device", new JsonArray().add(devices.get(0)));
    assertThat(mintAnswer(mistyped).body())
        .contains("filter.device: is not known; did you mean devices?");
    mint(filter(Set.of("manual"), Set.of(devices.get(0))));

    JsonObject listed =
        new JsonObject(service.internal("GET", keys(), "").body())
            .getJsonArray("api_keys")
            .getJsonObject(0);
    assertThat(listed.getJsonObject("filter"))
        .isEqualTo(filter(Set.of("manual"), Set.of(devices.get(0))));
  }

  /** A process of 1.0.0 looks keys up by the plain hash, and would let it read everything. */
  @Test
  void anEarlierReleaseDoesNotFindIt() {
    String key = mint(filter(Set.of("manual"), Set.of()));
    String plain = mint(null);
    String found = "select from api_keys where hash = sha256('%s')";

    assertThat(service.query(found.formatted(plain)).size()).isEqualTo(1);
    assertThat(service.query(found.formatted(key)).size()).isZero();
  }

  private List<Put> putAll(Random random) {
    List<Put> all = new ArrayList<>();
    for (int i = 0; i < CAPTURES; i++) {
      Put each =
          new Put(
              UUID.randomUUID(),
              random.nextInt(4) == 0 ? "manual" : "ambient",
              devices.get(random.nextInt(devices.size())));
      put(each.id(), each.mode(), each.device(), "As it was");
      all.add(each);
    }
    return all;
  }

  private void put(UUID id, String mode, UUID device, String title) {
    JsonObject capture =
        Service.capture(workspace)
            .put("mode", mode)
            .put("title", title)
            .put("device", new JsonObject().put("id", device.toString()));
    assertThat(service.put(id, capture).statusCode()).isIn(200, 201);
  }

  private void erase(Put capture) {
    service.internal(
        "DELETE",
        "/internal/v1/captures/" + capture.id(),
        new JsonObject().put("reason", "a request"));
  }

  private String keys() {
    return "/internal/v1/workspaces/" + workspace + "/api-keys";
  }

  private String mint(@Nullable JsonObject filter) {
    HttpResponse<String> answer = mintAnswer(filter);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return new JsonObject(answer.body()).getString("key");
  }

  private HttpResponse<String> mintAnswer(@Nullable JsonObject filter) {
    return service.internal(
        "POST", keys(), new JsonObject().put("name", "limited").put("filter", filter));
  }

  private String copies(UUID id) {
    return service.internal("GET", "/internal/v1/captures/" + id + "/copies", "").body();
  }

  private static JsonObject filter(Set<String> modes, Set<UUID> devices) {
    return new JsonObject()
        .put("modes", new JsonArray(modes.stream().sorted().toList()))
        .put(
            "devices",
            devices.isEmpty()
                ? null
                : new JsonArray(devices.stream().map(UUID::toString).toList()));
  }

  /** Page by page; none may be empty while another follows. */
  private static List<UUID> read(String path, String key, String list) {
    List<UUID> read = new ArrayList<>();
    String after = "";
    while (true) {
      HttpResponse<String> answer = service.pull(path + after, key);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      JsonObject page = new JsonObject(answer.body());
      List<UUID> ids = ids(page, list);
      read.addAll(ids);
      JsonObject info = page.getJsonObject("pageInfo");
      if (!info.getBoolean("hasNextPage")) {
        return read;
      }
      assertThat(ids).isNotEmpty();
      after = (path.contains("?") ? "&" : "?") + "after=" + info.getString("endCursor");
    }
  }

  private static List<UUID> ids(JsonObject page, String list) {
    return page.getJsonArray(list).stream()
        .map(each -> UUID.fromString(((JsonObject) each).getString("id")))
        .toList();
  }

  private static List<UUID> lines(HttpResponse<String> answer) {
    return answer
        .body()
        .lines()
        .map(JsonObject::new)
        .filter(line -> line.containsKey("id"))
        .map(line -> UUID.fromString(line.getString("id")))
        .toList();
  }
}
