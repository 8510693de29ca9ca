package io.egress.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.acceptance.S3Server.Maker;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ObjectLockLegalHoldStatus;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.S3Object;

/** {@code egress mirror} of a workspace of the real service, in buckets of real servers. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class MirrorBucketCases {
  private static final Random RANDOM = new Random();
  private static final int FEW_KILLS = 3;
  private static final int KILLS = 8;
  private static final int REQUESTS_MAX = 60;
  private static final String MANIFEST = ".egress-mirror/manifest.json";

  private final Maker maker;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private Path folder;
  private S3Server server;
  private S3Client s3;
  private BothRoles api;
  private Path classes;

  private UUID workspace;
  private String bucket;
  private String key;

  MirrorBucketCases(Maker maker) {
    this.maker = maker;
  }

  @BeforeAll
  void startServers(@TempDir Path temporary) throws Exception {
    folder = temporary;
    server = S3Server.start(maker, folder);
    started.push(server);
    s3 = server.client();
    api = BothRoles.apiAlone(BothRoles.environment());
    started.push(api);
    beginWorkspace();
    createBucket(false);
    classes = recorded(folder.resolve("bucket.jsa"));
  }

  /** The classes of a mirror in a bucket: those of the AWS SDK are most of what it costs. */
  private Path recorded(Path archive) throws Exception {
    try (CommandLine mirror =
        CommandLine.start(
            environment(server.url()), EgressJvm.recording(archive, arguments(target())))) {
      assertThat(mirror.awaitExit()).as(mirror.output()).isZero();
    }
    return archive;
  }

  @BeforeEach
  void beginWorkspace() {
    workspace = UUID.randomUUID();
    bucket = "archive-" + workspace;
    key = api.mintKey(workspace);
  }

  @AfterAll
  void stopServers() throws Exception {
    while (!started.isEmpty()) {
      started.pop().close();
    }
  }

  private void createBucket(boolean withLocks) {
    s3.createBucket(request -> request.bucket(bucket).objectLockEnabledForBucket(withLocks));
  }

  @Test
  void keepsABucketAsTheWorkspaceIs() throws Exception {
    createBucket(false);
    List<String> ids = new ArrayList<>(api.finish(workspace, 5));
    assertThat(mirror(0)).isEqualTo("5 new, 0 changed, 0 deleted; 5 captures\n");
    assertThat(copies()).isEqualTo(current(ids));
    assertThat(mirror(0)).isEqualTo("0 new, 0 changed, 0 deleted; 5 captures\n");

    correct(ids.get(0));
    erase(ids.remove(2));

    assertThat(mirror(0)).isEqualTo("0 new, 1 changed, 1 deleted; 4 captures\n");
    assertThat(copies()).isEqualTo(current(ids));
    assertThat(mirror(0, "--check"))
        .isEqualTo("0 missing, 0 stale, 0 superfluous; the workspace has 4 captures\n");
  }

  /** With more objects than a page has. */
  @Test
  @Tag("long")
  void checkFindsWhatIsNotAsTheWorkspaceIs() throws Exception {
    createBucket(RANDOM.nextBoolean());
    api.finish(workspace, 3);
    mirror(0, "--format", "markdown");
    List<String> keys = keys();
    s3.deleteObject(request -> request.bucket(bucket).key(keys.get(0)));
    put(keys.get(1), text(keys.get(1)) + "\nAnd more.\n");
    IntStream.range(0, 1005).parallel().forEach(i -> put("of/talks/x" + i + ".txt", "mine"));

    List<String> lines = mirror(1, "--check").lines().toList();

    assertThat(lines)
        .contains("missing      " + id(keys.get(0)), "stale        " + name(keys.get(1)))
        .contains("superfluous  x0.txt", "superfluous  x1004.txt")
        .endsWith("1 missing, 1 stale, 1,005 superfluous; the workspace has 3 captures");
    assertThat(mirror(0, "--repair")).isEqualTo("1 new, 1 changed, 0 deleted; 3 captures\n");
  }

  @Test
  void whatIsErasedIsInNoVersion() throws Exception {
    createBucket(true);
    List<String> ids = List.copyOf(api.finish(workspace, 3));
    mirror(0);
    String erased = ids.get(1);
    correct(erased);
    mirror(0);
    correct(ids.get(0));
    mirror(0);
    assertThat(versions(erased)).hasSize(2);
    ObjectVersion held = versions(erased).getFirst();
    hold(held, ObjectLockLegalHoldStatus.ON);
    erase(erased);

    for (int run = 0; run < 2; run++) {
      assertThat(mirror(1))
          .contains(
              "Could not erase version %s of s3://%s/%s: under a legal hold. The next run tries again\n"
                  .formatted(held.versionId(), bucket, held.key()));
      assertThat(keys()).noneMatch(each -> each.contains(erased));
    }
    assertThat(mirror(1, "--check")).contains("superfluous  " + name(held.key()));
    hold(held, ObjectLockLegalHoldStatus.OFF);

    assertThat(mirror(0)).isEqualTo("0 new, 0 changed, 0 deleted; 2 captures\n");
    assertThat(all()).noneMatch(each -> each.contains(erased));
    assertThat(versions(ids.get(0))).hasSize(2);
    assertThat(mirror(0, "--check")).startsWith("0 missing, 0 stale, 0 superfluous");
  }

  @Test
  @Tag("long")
  void goesOnWhereverItIsKilled() throws Exception {
    goesOnAfter(FEW_KILLS);
  }

  @Test
  @Tag("long")
  void goesOnHoweverOftenItIsKilled() throws Exception {
    goesOnAfter(KILLS);
  }

  private void goesOnAfter(int kills) throws Exception {
    createBucket(true);
    List<String> ids = new ArrayList<>(api.finish(workspace, 30));
    for (int kill = 0; kill < kills; kill++) {
      killAtRequest(1 + RANDOM.nextInt(REQUESTS_MAX), RANDOM.nextBoolean());
      erase(ids.removeLast());
      correct(ids.get(RANDOM.nextInt(ids.size())));
      ids.addAll(api.finish(workspace, 3));
    }

    mirror(0);

    assertThat(copies()).isEqualTo(current(ids));
    assertThat(all().stream().map(MirrorBucketCases::id)).hasSameElementsAs(ids);
    assertThat(mirror(0, "--check")).startsWith("0 missing, 0 stale, 0 superfluous");
  }

  private void killAtRequest(int number, boolean carriedOut) throws Exception {
    CompletableFuture<CommandLine> running = new CompletableFuture<>();
    try (RequestCounter counter =
            new RequestCounter(server.port(), number, carriedOut, () -> kill(running.join()));
        CommandLine mirror = start(counter.url())) {
      running.complete(mirror);
      mirror.awaitExit();
    }
  }

  private static void kill(CommandLine mirror) {
    try {
      mirror.kill();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  @Tag("long")
  void theSecondRunTakesOverFromTheFirst() throws Exception {
    createBucket(false);
    List<String> ids = new ArrayList<>(api.finish(workspace, 2));
    try (CommandLine first = start(server.url(), "--watch")) {
      await().until(() -> keys().size() == 2);
      assertThat(mirror(0)).endsWith("2 captures\n");
      ids.addAll(api.finish(workspace, 2));

      assertThat(first.awaitExit()).isEqualTo(1);
      assertThat(first.output())
          .isEqualTo(
              "Another egress mirror has taken over s3://%s/of/talks, so this one has stopped\n"
                  .formatted(bucket));
    }
    erase(ids.removeLast());

    mirror(0);
    mirror(0);

    assertThat(copies()).isEqualTo(current(ids));
    assertThat(mirror(0, "--check")).startsWith("0 missing, 0 stale, 0 superfluous");
  }

  @Test
  @Tag("long")
  void watchesUntilItIsStopped() throws Exception {
    createBucket(false);
    api.finish(workspace, 1);
    try (CommandLine mirror = start(server.url(), "--watch")) {
      await().until(() -> keys().size() == 1);
      api.finish(workspace, 1);
      await().until(() -> keys().size() == 2);
      mirror.terminate();
      assertThat(mirror.awaitExit()).as(mirror.output()).isZero();
      assertThat(mirror.output()).endsWith("2 captures\n");
    }
    assertThat(text("of/talks/" + MANIFEST)).contains("\"running\":false", "\"writer\":1,");
  }

  /** What docs/consuming.md says. */
  @Test
  @Tag("long")
  void costsAFewRequests() throws Exception {
    createBucket(false);
    api.finish(workspace, 200);

    assertThat(requestsOfARun()).isBetween(200 + 2 + 6, 200 + 2 + 12);
    assertThat(requestsOfARun()).isLessThanOrEqualTo(6);
  }

  private int requestsOfARun() throws Exception {
    try (RequestCounter counter = new RequestCounter(server.port());
        CommandLine mirror = start(counter.url())) {
      assertThat(mirror.awaitExit()).as(mirror.output()).isZero();
      return counter.requests();
    }
  }

  @Test
  @Tag("long")
  void saysInOneSentenceWhatIsWrong() throws Exception {
    createBucket(false);
    api.finish(workspace, 1);
    Map<String, String> environment = environment(server.url());
    String target = target();

    assertThat(fails(environment, "s3://nothing-" + workspace + "/of/talks"))
        .isEqualTo(
            "Cannot use s3://nothing-%s/of/talks: there is no such bucket\n".formatted(workspace));
    environment.remove("AWS_SECRET_ACCESS_KEY");
    environment.remove("AWS_ACCESS_KEY_ID");
    assertThat(fails(environment, target))
        .isEqualTo(
            "Cannot use %s: no AWS credentials were found in the environment, in ~/.aws or on this host\n"
                .formatted(target));
    if (maker == Maker.VERSITYGW) {
      environment.put("AWS_ACCESS_KEY_ID", S3Server.ACCESS_KEY);
      environment.put("AWS_SECRET_ACCESS_KEY", "wrong");
      assertThat(fails(environment, target))
          .startsWith("Cannot use " + target + ": the AWS credentials are not accepted (Sign")
          .hasLineCount(1);
    }
    environment.putAll(environment("http://127.0.0.1:1"));
    environment.put("AWS_MAX_ATTEMPTS", "1");
    assertThat(fails(environment, target))
        .isEqualTo("Cannot use " + target + ": cannot connect to the endpoint\n");
    put("of/talks/thesis.md", "mine");
    assertThat(mirror(1))
        .isEqualTo(
            target + " is not a mirror and not empty: it has thesis.md; choose another prefix\n");
  }

  private String fails(Map<String, String> environment, String to) throws Exception {
    try (CommandLine mirror =
        CommandLine.start(environment, EgressJvm.with(classes, arguments(to)))) {
      assertThat(mirror.awaitExit()).as(mirror.output()).isEqualTo(1);
      return mirror.output();
    }
  }

  private String mirror(int status, String... options) throws Exception {
    try (CommandLine mirror = start(server.url(), options)) {
      assertThat(mirror.awaitExit()).as(mirror.output()).isEqualTo(status);
      return mirror.output();
    }
  }

  private CommandLine start(String url, String... options) throws IOException {
    return CommandLine.start(
        environment(url), EgressJvm.with(classes, arguments(target(), options)));
  }

  private String target() {
    return "s3://" + bucket + "/of/talks";
  }

  private Map<String, String> environment(String url) {
    Map<String, String> environment = new HashMap<>(S3Server.environment(url, folder));
    environment.put("EGRESS_API_KEY", key);
    return environment;
  }

  private String[] arguments(String to, String... options) {
    List<String> arguments = new ArrayList<>(List.of("mirror", "--base-url"));
    arguments.addAll(List.of(api.publicUrl("").toString(), "--to", to));
    arguments.addAll(List.of(options));
    return arguments.toArray(String[]::new);
  }

  private void erase(String id) {
    api.call("DELETE", "/captures/" + id, new JsonObject().put("reason", "requested"));
  }

  /** Corrects who spoke in a capture. */
  private void correct(String id) {
    JsonObject capture = new JsonObject(api.pull("/api/v1/captures/" + id, key).body());
    JsonObject member =
        capture.getJsonArray("participants").stream()
            .map(JsonObject.class::cast)
            .filter(participant -> participant.getString("name") != null)
            .findFirst()
            .orElseThrow();
    JsonObject other =
        new JsonObject().put("id", UUID.randomUUID().toString()).put("name", "Corrected");
    api.call(
        "PATCH",
        "/captures/" + id + "/participants/" + member.getString("label"),
        new JsonObject().put("member", other));
  }

  private void put(String objectKey, String text) {
    s3.putObject(
        request -> request.bucket(bucket).key(objectKey), RequestBody.fromString(text, UTF_8));
  }

  private String text(String objectKey) {
    return s3.getObjectAsBytes(request -> request.bucket(bucket).key(objectKey)).asUtf8String();
  }

  private void hold(ObjectVersion version, ObjectLockLegalHoldStatus status) {
    s3.putObjectLegalHold(request ->
        request
            .bucket(bucket)
            .key(version.key())
            .versionId(version.versionId())
            .legalHold(hold -> hold.status(status)));
  }

  /** Of captures that can be read. */
  private List<String> keys() {
    return s3.listObjectsV2(request -> request.bucket(bucket)).contents().stream()
        .map(S3Object::key)
        .filter(each -> !each.endsWith(MANIFEST))
        .toList();
  }

  /** Of captures of which there is something, be it a mark that they are deleted. */
  private Set<String> all() {
    var listed = s3.listObjectVersions(request -> request.bucket(bucket));
    Set<String> all = new TreeSet<>();
    listed.versions().forEach(version -> all.add(version.key()));
    listed.deleteMarkers().forEach(marker -> all.add(marker.key()));
    all.removeIf(each -> each.endsWith(MANIFEST));
    return all;
  }

  private List<ObjectVersion> versions(String id) {
    return s3.listObjectVersions(request -> request.bucket(bucket)).versions().stream()
        .filter(version -> version.key().contains(id))
        .toList();
  }

  /** By the names that they would have in a folder. */
  private Map<String, String> copies() {
    Map<String, String> copies = new TreeMap<>();
    for (String each : keys()) {
      copies.put(name(each).replaceFirst("\\.\\d+\\.json$", ".json"), withoutEmission(text(each)));
    }
    return copies;
  }

  private Map<String, String> current(List<String> ids) {
    Map<String, String> current = new TreeMap<>();
    for (String id : ids) {
      String document = api.pull("/api/v1/captures/" + id, key).body();
      String day = new JsonObject(document).getString("started_at").substring(0, 10);
      current.put(day.replace('-', '/') + "/" + id + ".json", withoutEmission(document));
    }
    return current;
  }

  private static String withoutEmission(String document) {
    String without = document.replaceFirst(",\"emitted_at\":\"[^\"]+\"}$", "}");
    assertThat(without).isNotEqualTo(document);
    return without;
  }

  private static String name(String objectKey) {
    return objectKey.substring("of/talks/".length());
  }

  private static String id(String objectKey) {
    return objectKey.substring(objectKey.lastIndexOf('/') + 1).replaceFirst("\\..*", "");
  }
}
