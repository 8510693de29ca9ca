package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.intake.CaptureBody;
import io.egress.document.DocumentStore;
import io.egress.document.TranscriptRenderer;
import io.egress.metrics.Metrics;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What goes the short way, and that nothing is written by what does not. */
class NewCapturesTest {
  private static final String MEMBER = "00000000-0000-4000-8000-000000000002";

  private static Service service;

  private CaptureWriter writer;
  private NewCaptures newCaptures;
  private UUID workspace;

  @BeforeAll
  static void start() {
    service = Service.start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** Another process has told the database of a room that is called Atlas, and of Ada. */
  @BeforeEach
  void knowNames() {
    workspace = UUID.randomUUID();
    newCaptures = new NewCaptures(service.database, TranscriptRenderer.VERSION);
    writer = writer();
    putAnyway("Atlas", "Ada");
    writer = writer();
  }

  @Test
  void newCapturesOfKnownNames() {
    assertThat(put(capture("Atlas", "Ada"), capture("Atlas", "Ada"))).isTrue();

    assertThat(rows("captures where entered")).isEqualTo(3);
    assertThat(rows("participants")).isEqualTo(6);
    assertThat(
            rows("documents d join captures c on c.id = d.capture_id and c.revision = d.revision"))
        .isEqualTo(3);
  }

  @Test
  void namesThatOthersHaveSaid() {
    IncomingCapture beforeTheyAreKnown = capture(null, null);
    assertThat(put(beforeTheyAreKnown)).isFalse();

    putAnyway(null, null);
    IncomingCapture after = capture(null, null);
    assertThat(after.shown().device().name()).isEqualTo("Atlas");
    assertThat(put(after)).isTrue();
    assertThat(put(capture("Atlas", null), capture(null, "Ada"))).isTrue();
  }

  @Test
  void namesThatHaveChangedSince() {
    putAnyway(null, null);
    service.query(
        "update members set name = 'Ada Fischer' where workspace_id = '%s'".formatted(workspace));

    assertThat(put(capture("Atlas", null))).isFalse();
    putAnyway("Atlas", null);
    assertThat(put(capture("Atlas", null))).isTrue();
  }

  @Test
  void whatHasToGoTheLongWay() {
    IncomingCapture known = capture("Atlas", "Ada");
    assertThat(put(known)).isTrue();
    assertThat(put(known)).isFalse();
    assertThat(put(capture("Atlas", "Ada"), capture("Room 7", "Ada"))).isFalse();
    assertThat(put(capture("Atlas", "Ada F."))).isFalse();
    assertThat(put(capture("Room 7", "Ada"))).isFalse();
    workspace = UUID.randomUUID();
    assertThat(put(capture("Atlas", "Ada"))).isFalse();

    assertThat(rows("captures")).isZero();
  }

  private static CaptureWriter writer() {
    return new CaptureWriter(
        service.database,
        new DocumentStore(service.vertx, service.database, new Metrics()),
        new Hook.Wakeups(() -> {}, () -> {}));
  }

  private boolean put(IncomingCapture... captures) {
    return Service.await(newCaptures.put(List.of(captures)));
  }

  private void putAnyway(@Nullable String room, @Nullable String name) {
    Service.await(writer.put(List.of(capture(room, name))));
  }

  private IncomingCapture capture(@Nullable String room, @Nullable String name) {
    JsonObject body = Service.capture(workspace);
    body.getJsonObject("device").put("name", room);
    body.put(
        "participants",
        new JsonArray()
            .add(
                new JsonObject()
                    .put("label", "S1")
                    .put("member", new JsonObject().put("id", MEMBER).put("name", name))
                    .put("speech_ms", 10))
            .add(new JsonObject().put("label", "S2").put("speech_ms", 10)));
    return writer.prepare(CaptureBody.read(body.toBuffer(), UUID.randomUUID()).orRefuse());
  }

  private long rows(String of) {
    String workspaceId = of.startsWith("documents") ? "c.workspace_id" : "workspace_id";
    String and = of.contains(" where ") ? " and " : " where ";
    return service
        .query("select count(*) from " + of + and + workspaceId + " = '" + workspace + "'")
        .iterator()
        .next()
        .getLong(0);
  }
}
