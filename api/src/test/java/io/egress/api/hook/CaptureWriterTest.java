package io.egress.api.hook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.intake.CaptureBody;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Captures, and names that another process has written to the database. */
class CaptureWriterTest {
  private static final String MEMBER = "00000000-0000-4000-8000-000000000002";

  private static final Service service = Service.shared();

  private CaptureWriter writer;
  private UUID workspace;

  @BeforeEach
  void letAnotherProcessNameARoomAndAda() {
    workspace = UUID.randomUUID();
    writer = writer();
    put(capture("Atlas", "Ada"));
    writer = writer();
  }

  @Test
  void writesACaptureInOneTransaction() {
    assertThat(put(capture("Atlas", "Ada"), capture("Atlas", "Ada")))
        .containsOnly(PutResult.CREATED);

    assertThat(rows("captures where entered")).isEqualTo(3);
    assertThat(rows("captures where cardinality(members) = 2")).isEqualTo(3);
    assertThat(rows("current_documents d join captures c on c.id = d.capture_id")).isEqualTo(3);
  }

  @Test
  void rendersWithTheNamesSeenLast() {
    put(capture(null, null));

    IncomingCapture after = capture(null, null);
    assertThat(after.shown().device().name()).isEqualTo("Atlas");
    put(after);
    assertThat(shown(after)).contains("Atlas", "Ada");
  }

  @Test
  void showsNamesThatAnotherProcessChanged() {
    put(capture(null, null));
    service.query(
        "update members set name = 'Ada Fischer' where workspace_id = '%s'".formatted(workspace));

    IncomingCapture before = capture("Atlas", null);
    assertThat(before.shown().participants()).extracting(CaptureWriterTest::name).contains("Ada");
    put(before);

    assertThat(shown(before)).contains("Ada Fischer");
    assertThat(capture("Atlas", null).shown().participants())
        .extracting(CaptureWriterTest::name)
        .contains("Ada Fischer");
  }

  @Test
  void returnsEachCapturesOwnResult() {
    IncomingCapture known = capture("Atlas", "Ada");
    put(known);
    IncomingCapture other = capture("Room 7", "Ada F.");

    assertThat(put(known, other)).containsExactly(PutResult.UNCHANGED, PutResult.CREATED);
    assertThat(shown(other)).contains("Room 7", "Ada F.");
  }

  private static @Nullable String name(Participant participant) {
    return participant.member() == null ? null : participant.member().name();
  }

  private static CaptureWriter writer() {
    return new CaptureWriter(
        service.database,
        new DocumentStore(service.vertx, service.database, new Metrics()),
        new Hook.Wakeups(_ -> {}, () -> {}));
  }

  private List<PutResult> put(IncomingCapture... captures) {
    return Service.await(writer.put(List.of(captures)));
  }

  /** The document that is stored. */
  private String shown(IncomingCapture incoming) {
    Row row =
        service
            .query(
                "select length, crc32, deflated from documents where capture_id = '%s'"
                    .formatted(incoming.capture().id()))
            .iterator()
            .next();
    Fragment stored =
        new Fragment(row.getBuffer("deflated"), row.getInteger("crc32"), row.getLong("length"));
    return new String(stored.inflate(), UTF_8);
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
    return writer.prepare(CaptureBody.read(body.toBuffer(), UUID.randomUUID()).orRefuse(), null);
  }

  private long rows(String of) {
    String workspaceId = of.startsWith("current_documents") ? "c.workspace_id" : "workspace_id";
    String and = of.contains(" where ") ? " and " : " where ";
    return service
        .query("select count(*) from " + of + and + workspaceId + " = '" + workspace + "'")
        .iterator()
        .next()
        .getLong(0);
  }
}
