package io.egress.cli.mirror;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.cli.mirror.BucketModel.Killed;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mirrors of a workspace in memory, in a bucket in memory. */
class BucketModelTest {
  private static final BucketAddress ADDRESS = BucketAddress.parse("s3://archive/of/talks/");
  private static final String MANIFEST = ADDRESS.key(BucketManifest.NAME);
  private static final Pattern NUMBER = Pattern.compile("\\.\\d+(?=\\.[a-z]+$)");
  private static final List<MirrorFormat> FORMATS = List.of(MirrorFormat.values());
  private static final int HISTORIES = 300;
  private static final int RUNS = 12;
  private static final int REQUESTS_MAX = 70;

  /** Whatever happens to the workspace, and wherever runs are killed or overtaken by others. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theNextRunMakesTheBucketRight(boolean hasVersions) throws Exception {
    long seed = System.nanoTime();
    Set<String> endings = new TreeSet<>();
    for (int i = 0; i < HISTORIES; i++) {
      Random random = new Random(seed + i);
      MirrorFormat format = FORMATS.get(random.nextInt(FORMATS.size()));
      WorkspaceModel workspace = new WorkspaceModel(random);
      BucketModel bucket = new BucketModel(hasVersions);
      for (int run = 0; run < RUNS; run++) {
        act(workspace, random, 6);
        workspace.keepBusy(true);
        endings.add(
            disturbed(
                workspace,
                bucket,
                format,
                random.nextInt(REQUESTS_MAX),
                disturbance(workspace, bucket, format, random)));
        workspace.keepBusy(false);
        nothingIsMissing(workspace, bucket, seed + i);
      }

      run(workspace, bucket, format);

      isRight(workspace, bucket, format, seed + i);
    }
    assertThat(endings).containsExactlyInAnyOrder("killed", "taken over", "ended");
  }

  private Runnable disturbance(
      WorkspaceModel workspace, BucketModel bucket, MirrorFormat format, Random random) {
    return switch (random.nextInt(3)) {
      case 0 ->
          () -> {
            throw new Killed();
          };
      case 1 ->
          () -> {
            act(workspace, random, 4);
            disturbed(workspace, bucket, format, Integer.MAX_VALUE, () -> {});
            act(workspace, random, 4);
          };
      default ->
          () -> {
            act(workspace, random, 4);
            disturbed(
                workspace,
                bucket,
                format,
                random.nextInt(REQUESTS_MAX),
                () -> {
                  throw new Killed();
                });
            act(workspace, random, 4);
          };
    };
  }

  private static void act(WorkspaceModel workspace, Random random, int most) {
    for (int acts = random.nextInt(most); acts > 0; acts--) {
      workspace.act();
    }
  }

  private static String disturbed(
      WorkspaceModel workspace,
      BucketModel bucket,
      MirrorFormat format,
      int requests,
      Runnable disturbance) {
    try (Mirror mirror =
        Mirror.open(
            workspace,
            location(bucket, _ -> bucket.connect(requests, disturbance)),
            format,
            _ -> {})) {
      mirror.run();
      return "ended";
    } catch (Killed killed) {
      return "killed";
    } catch (MirrorException overtaken) {
      assertThat(overtaken)
          .message()
          .containsAnyOf("has taken over s3://archive/of/talks", "has begun to keep");
      return "taken over";
    }
  }

  /** What the cursors cover is there. */
  private static void nothingIsMissing(WorkspaceModel workspace, BucketModel bucket, long seed)
      throws IOException {
    String manifest = bucket.readable().get(MANIFEST);
    if (manifest != null) {
      MirrorState state = BucketManifest.parse(manifest.getBytes(UTF_8)).mirror();
      assertThat(ids(bucket.readable()))
          .as("seed %s", seed)
          .containsAll(workspace.seenWith(state.stream()));
    }
  }

  private static void isRight(
      WorkspaceModel workspace, BucketModel bucket, MirrorFormat format, long seed) {
    assertThat(copies(bucket)).as("seed %s", seed).isEqualTo(workspace.files(format));
    assertThat(ids(bucket.all()))
        .as("no version of what was erased, seed %s", seed)
        .isEqualTo(workspace.inventory().keySet());
    assertThat(bucket.all().keySet())
        .as("nothing is left of former copies, seed %s", seed)
        .hasSize(workspace.inventory().size() + 1);
    assertThat(check(workspace, bucket)).containsExactly(whole(workspace));
  }

  @Test
  void repairMakesTheBucketRightWhereverItIsKilled() throws Exception {
    long seed = System.nanoTime();
    for (int i = 0; i < HISTORIES; i++) {
      Random random = new Random(seed + i);
      WorkspaceModel workspace = new WorkspaceModel(random);
      BucketModel bucket = new BucketModel(i % 2 == 0);
      UUID first = workspace.enter();
      act(workspace, random, 20);
      run(workspace, bucket, MirrorFormat.JSON);
      workspace.change(first);
      workspace.enter();
      workspace.restore();
      assertThatThrownBy(() -> run(workspace, bucket, null)).hasMessageContaining("--repair");
      for (String key : bucket.readable().keySet()) {
        if (!key.equals(MANIFEST) && random.nextInt(3) == 0) {
          bucket.hide(key);
        } else if (!key.equals(MANIFEST) && random.nextInt(3) == 0) {
          bucket.write(key, "{}");
        }
      }

      try {
        repair(workspace, bucket, random.nextInt(REQUESTS_MAX));
      } catch (Killed killed) {
        // As intended.
      }
      repair(workspace, bucket, Integer.MAX_VALUE);

      isRight(workspace, bucket, MirrorFormat.JSON, seed + i);
    }
  }

  private static void repair(WorkspaceModel workspace, BucketModel bucket, int requests) {
    Runnable kill =
        () -> {
          throw new Killed();
        };
    try (Mirror mirror =
        Mirror.open(
            workspace, location(bucket, _ -> bucket.connect(requests, kill)), null, _ -> {})) {
      mirror.repair();
      mirror.run();
    }
  }

  @Test
  void checkPrintsEachDifference() {
    WorkspaceModel workspace = new WorkspaceModel(new Random(1));
    BucketModel bucket = new BucketModel(true);
    for (int i = 0; i < 6; i++) {
      workspace.enter();
    }
    run(workspace, bucket, MirrorFormat.MARKDOWN);
    List<String> copies = new ArrayList<>(bucket.readable().keySet());
    copies.remove(MANIFEST);
    String deleted = copies.get(0);
    String edited = copies.get(1);
    String truncated = copies.get(2);
    String touched = copies.get(3);
    String outdated = copies.get(4);
    bucket.hide(deleted);
    bucket.write(edited, text(bucket, edited).replace("Hello.", "Good bye."));
    bucket.write(truncated, "---\n");
    bucket.write(touched, text(bucket, touched));
    workspace.pass(Duration.ofSeconds(30));
    workspace.change(id(outdated));
    String erased = copies.get(5);
    workspace.erase(id(erased));
    bucket.hide(erased);
    bucket.write(ADDRESS.key("notes.txt"), "mine");
    bucket.write(ADDRESS.key(".hidden"), "not looked at");
    String unknown = copies.get(4).replace(".1.md", ".7.md");
    bucket.write(unknown, "of nobody");

    assertThat(check(workspace, bucket))
        .containsExactlyInAnyOrder(
            "missing      " + id(deleted),
            "stale        " + ADDRESS.name(edited),
            "stale        " + ADDRESS.name(truncated),
            "stale        " + ADDRESS.name(outdated),
            "superfluous  " + ADDRESS.name(erased),
            "superfluous  notes.txt",
            "superfluous  " + ADDRESS.name(unknown),
            "1 missing, 3 stale, 3 superfluous; the workspace has 5 captures");

    bucket.hide(ADDRESS.key("notes.txt"));
    bucket.hide(unknown);
    try (Mirror mirror = open(workspace, bucket, null)) {
      mirror.repair();
      mirror.run();
      assertThat(mirror.summary()).isEqualTo("1 new, 3 changed, 1 deleted; 5 captures");
    }
    assertThat(check(workspace, bucket)).containsExactly(whole(workspace));
  }

  @Test
  void whatALockKeepsIsHiddenNamedAndErasedLater() throws Exception {
    WorkspaceModel workspace = new WorkspaceModel(new Random(8));
    BucketModel bucket = new BucketModel(true);
    UUID id = workspace.enter();
    workspace.enter();
    run(workspace, bucket, MirrorFormat.JSON);
    workspace.change(id);
    run(workspace, bucket, null);
    List<String> kept =
        bucket.all().keySet().stream().filter(key -> key.contains("" + id)).toList();
    kept.forEach(key -> bucket.lock(key, "under a legal hold"));
    String key = kept.getLast();
    String version = requireNonNull(bucket.all().get(key)).getLast().id();
    workspace.erase(id);

    for (int run = 0; run < 2; run++) {
      try (Mirror mirror = open(workspace, bucket, null)) {
        mirror.run();
        assertThat(mirror.remains())
            .hasValueSatisfying(sentence ->
                assertThat(sentence)
                    .startsWith("Could not erase version ")
                    .contains(
                        "version %s of s3://archive/%s: under a legal hold".formatted(version, key))
                    .endsWith(". The next run tries again"));
      }
      assertThat(ids(bucket.readable())).doesNotContain(id);
      assertThat(check(workspace, bucket))
          .contains("superfluous  " + ADDRESS.name(key))
          .endsWith("0 missing, 0 stale, 1 superfluous; the workspace has 1 capture");
    }
    bucket.unlock();
    try (Mirror mirror = open(workspace, bucket, null)) {
      mirror.run();
      assertThat(mirror.remains()).isEmpty();
    }

    assertThat(ids(bucket.all())).doesNotContain(id).hasSize(1);
    assertThat(check(workspace, bucket)).containsExactly(whole(workspace));
  }

  @Test
  void theManifestSaysNothingOfWhatCapturesContain() {
    WorkspaceModel workspace = new WorkspaceModel(new Random(9));
    BucketModel bucket = new BucketModel(true);
    UUID id = workspace.enter();
    run(workspace, bucket, MirrorFormat.JSON);
    workspace.erase(id);
    run(workspace, bucket, null);

    assertThat(bucket.all()).containsOnlyKeys(MANIFEST);
    assertThat(bucket.all().get(MANIFEST))
        .hasSizeGreaterThan(3)
        .allSatisfy(version ->
            assertThat(version.text().toJsonObject().fieldNames())
                .containsOnly(
                    "version",
                    "workspace_id",
                    "format",
                    "stream_cursor",
                    "changes_cursor",
                    "repairing",
                    "writer",
                    "holder",
                    "saves",
                    "running",
                    "ended",
                    "erasing"));
  }

  /** The client sends a request again when its response is lost, and the condition then fails. */
  @Test
  void aManifestThatWasReplacedAfterAllIsKnown() {
    WorkspaceModel workspace = new WorkspaceModel(new Random(10));
    BucketModel bucket = new BucketModel(false);
    workspace.enter();

    try (Mirror mirror =
        Mirror.open(
            workspace,
            location(bucket, _ -> new LostAnswers(bucket.connect())),
            MirrorFormat.JSON,
            _ -> {})) {
      mirror.run();
    }

    assertThat(bucket.readable().get(MANIFEST)).contains("\"running\":false", "\"writer\":1");
    assertThat(check(workspace, bucket)).containsExactly(whole(workspace));
  }

  @Test
  void aBucketThatIgnoresConditionsIsRefused() {
    BucketModel bucket = new BucketModel(false);
    bucket.ignoreConditions();

    assertThatThrownBy(() -> open(new WorkspaceModel(new Random(11)), bucket, null))
        .isInstanceOf(MirrorException.class)
        .hasMessageContaining("the bucket ignores If-None-Match");
    assertThat(bucket.all()).isEmpty();
  }

  @Test
  void aPrefixOfSomethingElseIsLeftAlone() {
    BucketModel bucket = new BucketModel(false);
    bucket.write(ADDRESS.key("thesis.md"), "mine");
    bucket.write("of/talks-of-others/a.json", "theirs");

    assertThatThrownBy(() -> open(new WorkspaceModel(new Random(12)), bucket, null))
        .hasMessage(
            "s3://archive/of/talks is not a mirror and not empty: it has thesis.md; choose another prefix");
    assertThat(bucket.readable()).hasSize(2);
    assertThatThrownBy(() -> check(new WorkspaceModel(new Random(12)), bucket))
        .hasMessage(
            "s3://archive/of/talks is not a mirror: it has no .egress-mirror/manifest.json");
  }

  @Test
  void anotherFormatWorkspaceOrReleaseIsRefused() {
    WorkspaceModel workspace = new WorkspaceModel(new Random(13));
    workspace.enter();
    BucketModel bucket = new BucketModel(false);
    run(workspace, bucket, MirrorFormat.VTT);
    WorkspaceModel other = new WorkspaceModel(new Random(14));
    other.restore();
    other.enter();
    Map<String, String> before = copies(bucket);

    assertThatThrownBy(() -> run(workspace, bucket, MirrorFormat.JSON))
        .hasMessage(
            "s3://archive/of/talks has .vtt files; leave --format out or choose another prefix");
    assertThatThrownBy(() -> run(other, bucket, null))
        .hasMessageContaining("is a mirror of workspace " + workspace.workspace());
    assertThat(copies(bucket)).isEqualTo(before);
    bucket.write(MANIFEST, "{\"version\":2}");
    assertThatThrownBy(() -> run(workspace, bucket, null))
        .hasMessage(".egress-mirror/manifest.json was written by a newer release of egress");
    bucket.write(MANIFEST, "{\"format\":\"vtt\"}");
    assertThatThrownBy(() -> run(workspace, bucket, null))
        .hasMessage(
            "s3://archive/of/talks/.egress-mirror/manifest.json is not a manifest of egress mirror:"
                + " not a manifest; mirror to an empty prefix");
    assertThat(copies(bucket)).isEqualTo(before);
  }

  @Test
  void theNumberInNamesGrowsOnlyAfterARunThatDidNotEnd() {
    WorkspaceModel workspace = new WorkspaceModel(new Random(15));
    BucketModel bucket = new BucketModel(false);
    for (int run = 0; run < 3; run++) {
      workspace.enter();
      run(workspace, bucket, MirrorFormat.JSON);
    }
    assertThat(numbers(bucket)).containsExactly(".1");
    workspace.enter();
    assertThat(
            disturbed(
                workspace,
                bucket,
                MirrorFormat.JSON,
                5,
                () -> {
                  throw new Killed();
                }))
        .isEqualTo("killed");
    workspace.enter();
    run(workspace, bucket, null);

    assertThat(numbers(bucket)).containsExactly(".1", ".2");
  }

  private static Set<String> numbers(BucketModel bucket) {
    return bucket.readable().keySet().stream()
        .flatMap(key -> NUMBER.matcher(key).results().map(found -> found.group()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Mirror open(
      WorkspaceModel workspace, BucketModel bucket, @Nullable MirrorFormat format) {
    return Mirror.open(workspace, location(bucket, _ -> bucket.connect()), format, _ -> {});
  }

  private static void run(
      WorkspaceModel workspace, BucketModel bucket, @Nullable MirrorFormat format) {
    try (Mirror mirror = open(workspace, bucket, format)) {
      mirror.run();
    }
  }

  private static BucketLocation location(BucketModel bucket, BucketLocation.Connection connection) {
    return new BucketLocation(ADDRESS, connection, () -> bucket.pass(Duration.ofSeconds(3)));
  }

  private static List<String> check(WorkspaceModel workspace, BucketModel bucket) {
    List<String> lines = new ArrayList<>();
    MirrorCheck.run(
        (CaptureSource) workspace,
        location(bucket, _ -> bucket.connect()),
        null,
        _ -> {},
        lines::add);
    return lines;
  }

  private static String whole(WorkspaceModel workspace) {
    int captures = workspace.inventory().size();
    return "0 missing, 0 stale, 0 superfluous; the workspace has %d %s"
        .formatted(captures, captures == 1 ? "capture" : "captures");
  }

  private static String text(BucketModel bucket, String key) {
    return requireNonNull(bucket.readable().get(key));
  }

  private static UUID id(String key) {
    return UUID.fromString(key.substring(key.lastIndexOf('/') + 1).replaceFirst("\\..*", ""));
  }

  private static Set<UUID> ids(Map<String, ?> keys) {
    return keys.keySet().stream()
        .filter(key -> !key.equals(MANIFEST))
        .map(BucketModelTest::id)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** By their names in a folder. */
  private static Map<String, String> copies(BucketModel bucket) {
    Map<String, String> copies = new TreeMap<>();
    bucket
        .readable()
        .forEach((key, text) -> {
          if (!key.equals(MANIFEST)) {
            copies.put(
                NUMBER.matcher(ADDRESS.name(key)).replaceFirst(""),
                WorkspaceModel.withoutEmission(text));
          }
        });
    return copies;
  }
}
