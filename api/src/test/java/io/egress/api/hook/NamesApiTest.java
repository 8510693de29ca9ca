package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names of speakers and devices: from the capture, and after renames. */
class NamesApiTest {
  private static final Service service = Service.shared();

  private UUID workspace;
  private PulledStream stream;

  @BeforeEach
  void freshWorkspace() {
    workspace = UUID.randomUUID();
    stream = new PulledStream(service, workspace);
  }

  @Test
  void showsWhoSpoke() {
    UUID id = UUID.randomUUID();
    UUID ada = UUID.randomUUID();
    service.put(id, conversation(ada, "Ada"));
    stream.awaitSize(1);

    JsonObject document = stream.one(id);
    assertThat(document.getString("transcript_text"))
        .isEqualTo("Ada: Hi.\nS2: Hello.\nUnknown speaker: ...");
    JsonObject participant = document.getJsonArray("participants").getJsonObject(0);
    assertThat(participant.getString("name")).isEqualTo("Ada");
    assertThat(participant.getBoolean("matched")).isTrue();
    assertThat(participant.getDouble("match_confidence")).isEqualTo(0.5);
  }

  @Test
  void showsRenamesOfMembersAndDevicesInEveryCaptureTheyTouch() {
    UUID ada = UUID.randomUUID();
    List<UUID> ids = IntStream.range(0, 5).mapToObj(_ -> UUID.randomUUID()).toList();
    ids.forEach(id -> service.put(id, conversation(ada, "Ada")));
    stream.awaitSize(5);

    JsonObject renamed =
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Ada Fischer");
    assertThat(service.internal("PUT", "/internal/v1/members/" + ada, renamed).statusCode())
        .isEqualTo(204);
    JsonObject room =
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Atlas");
    String device = Service.capture(workspace).getJsonObject("device").getString("id");
    assertThat(service.internal("PUT", "/internal/v1/devices/" + device, room).statusCode())
        .isEqualTo(204);

    for (UUID id : ids) {
      assertThat(stream.one(id).getString("transcript_text")).startsWith("Ada Fischer: Hi.");
      assertThat(stream.one(id).getJsonObject("device").getString("name")).isEqualTo("Atlas");
    }
  }

  @Test
  void whatAChangeOfNamesDoesNotGiveStaysAndNullClears() {
    UUID id = UUID.randomUUID();
    UUID ada = UUID.randomUUID();
    service.put(id, conversation(ada, "Ada"));
    stream.awaitSize(1);

    putMember(ada, new JsonObject().put("email", "ada@example.com"));
    putMember(ada, new JsonObject().put("name", "Ada Fischer"));
    assertThat(firstParticipant(id).getString("name")).isEqualTo("Ada Fischer");
    assertThat(firstParticipant(id).getString("email")).isEqualTo("ada@example.com");
    putMember(ada, new JsonObject().putNull("email"));
    assertThat(firstParticipant(id).getString("name")).isEqualTo("Ada Fischer");
    assertThat(firstParticipant(id).getValue("email")).isNull();
    putMember(ada, new JsonObject().putNull("name"));
    assertThat(stream.one(id).getString("transcript_text")).startsWith("S1: Hi.");

    String device = Service.capture(workspace).getJsonObject("device").getString("id");
    String path = "/internal/v1/devices/" + device;
    JsonObject room = new JsonObject().put("workspace_id", workspace.toString());
    service.internal("PUT", path, room.copy().put("name", "Atlas"));
    assertThat(service.internal("PUT", path, room).statusCode()).isEqualTo(204);
    assertThat(stream.one(id).getJsonObject("device").getString("name")).isEqualTo("Atlas");
    service.internal("PUT", path, room.copy().putNull("name"));
    assertThat(stream.one(id).getJsonObject("device").getValue("name")).isNull();
  }

  @Test
  void whatAChangeOfASpeakerDoesNotGiveStaysAndNullClears() {
    UUID id = UUID.randomUUID();
    UUID ada = UUID.randomUUID();
    service.put(id, conversation(ada, "Ada"));
    stream.awaitSize(1);
    String path = "/internal/v1/captures/" + id + "/participants/";

    assertThat(confidenceAfter(id, new JsonObject().put("match_confidence", 0.75))).isEqualTo(0.75);
    assertThat(firstParticipant(id).getString("name")).isEqualTo("Ada");
    assertThat(confidenceAfter(id, new JsonObject().putNull("match_confidence"))).isNull();
    JsonObject email = member(ada).put("email", "ada@example.com");
    confidenceAfter(id, new JsonObject().put("member", email));
    confidenceAfter(id, new JsonObject().put("member", member(ada).put("name", "Ada F.")));
    assertThat(firstParticipant(id).getString("name")).isEqualTo("Ada F.");
    assertThat(firstParticipant(id).getString("email")).isEqualTo("ada@example.com");
    confidenceAfter(id, new JsonObject().put("member", member(ada).putNull("email")));
    assertThat(firstParticipant(id).getValue("email")).isNull();
    assertThat(
            service
                .internal("PATCH", path + "S2", new JsonObject().put("match_confidence", 0.5))
                .statusCode())
        .isEqualTo(400);
  }

  @Test
  void aCapturesNamesWinAndOmittedNamesStay() {
    UUID ada = UUID.randomUUID();
    UUID first = UUID.randomUUID();
    service.put(first, conversation(ada, "Ada"));
    service.put(UUID.randomUUID(), conversation(ada, "Ada F."));
    service.put(UUID.randomUUID(), conversation(ada, null));
    stream.awaitSize(3);

    assertThat(stream.one(first).getString("transcript_text")).startsWith("Ada F.: ");
  }

  @Test
  void omittedNamesAreShownAsCurrentlyKnown() {
    UUID ada = UUID.randomUUID();
    service.put(UUID.randomUUID(), conversation(ada, "Ada"));
    List<UUID> later = IntStream.range(0, 3).mapToObj(_ -> UUID.randomUUID()).toList();
    service.put(later.get(0), conversation(ada, null));
    service.put(later.get(1), conversation(ada, null));
    service.internal(
        "PUT",
        "/internal/v1/members/" + ada,
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Ada Fischer"));
    service.put(later.get(2), conversation(ada, null));
    stream.awaitSize(4);

    for (UUID id : later) {
      assertThat(stream.one(id).getString("transcript_text")).startsWith("Ada Fischer: ");
    }
  }

  @Test
  void aRepeatedBodyDoesNotUndoALaterFix() {
    UUID id = UUID.randomUUID();
    UUID ada = UUID.randomUUID();
    JsonObject body = conversation(ada, "Ada");
    service.put(id, body);
    stream.awaitSize(1);
    service.internal(
        "PUT",
        "/internal/v1/members/" + ada,
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Ada Fischer"));

    assertThat(service.put(id, body).statusCode()).isEqualTo(200);

    assertThat(stream.one(id).getString("transcript_text")).startsWith("Ada Fischer: ");
  }

  @Test
  void identifiesSpeakers() {
    UUID id = UUID.randomUUID();
    service.put(id, conversation(UUID.randomUUID(), "Ada"));
    stream.awaitSize(1);
    String path = "/internal/v1/captures/" + id + "/participants/";
    JsonObject ben =
        new JsonObject()
            .put("id", UUID.randomUUID().toString())
            .put("name", "Ben")
            .put("email", "b@example.com");

    assertThat(
            service
                .internal("PATCH", path + "S2", new JsonObject().put("member", ben))
                .statusCode())
        .isEqualTo(204);
    assertThat(
            service.internal("PATCH", path + "S1", new JsonObject().putNull("member")).statusCode())
        .isEqualTo(204);

    assertThat(stream.one(id).getString("transcript_text"))
        .isEqualTo("S1: Hi.\nBen: Hello.\nUnknown speaker: ...");
    JsonObject nobody = stream.one(id).getJsonArray("participants").getJsonObject(0);
    assertThat(nobody.getBoolean("matched")).isFalse();
    assertThat(nobody.getValue("match_confidence")).isNull();
    assertThat(
            service.internal("PATCH", path + "S9", new JsonObject().putNull("member")).statusCode())
        .isEqualTo(404);
    assertThat(
            service
                .internal("PATCH", path + "%00", new JsonObject().putNull("member"))
                .statusCode())
        .isEqualTo(400);
    assertThat(service.internal("PATCH", path + "S1", new JsonObject()).statusCode())
        .isEqualTo(400);
  }

  @Test
  void aConfidenceStaysWithItsMember() {
    UUID id = UUID.randomUUID();
    UUID ada = UUID.randomUUID();
    service.put(id, conversation(ada, "Ada"));
    stream.awaitSize(1);

    assertThat(confidenceAfter(id, new JsonObject().put("member", member(ada)))).isEqualTo(0.5);
    assertThat(
            confidenceAfter(
                id, new JsonObject().put("member", member(ada)).put("match_confidence", 0.25)))
        .isEqualTo(0.25);
    assertThat(confidenceAfter(id, new JsonObject().put("member", member(UUID.randomUUID()))))
        .isNull();
  }

  private static JsonObject member(UUID id) {
    return new JsonObject().put("id", id.toString());
  }

  private @Nullable Double confidenceAfter(UUID id, JsonObject speaker) {
    String path = "/internal/v1/captures/" + id + "/participants/S1";
    assertThat(service.internal("PATCH", path, speaker).statusCode()).isEqualTo(204);
    return firstParticipant(id).getDouble("match_confidence");
  }

  private void putMember(UUID id, JsonObject change) {
    JsonObject body = change.put("workspace_id", workspace.toString());
    assertThat(service.internal("PUT", "/internal/v1/members/" + id, body).statusCode())
        .isEqualTo(204);
  }

  private JsonObject firstParticipant(UUID capture) {
    return stream.one(capture).getJsonArray("participants").getJsonObject(0);
  }

  private JsonObject conversation(UUID ada, @Nullable String name) {
    JsonObject member = new JsonObject().put("id", ada.toString()).put("name", name);
    return Service.capture(workspace)
        .put(
            "participants",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("label", "S1")
                        .put("member", member)
                        .put("match_confidence", 0.5)
                        .put("speech_ms", 10))
                .add(new JsonObject().put("label", "S2").put("speech_ms", 10)))
        .put(
            "segments",
            new JsonArray()
                .add(segment(0, "S1", "Hi."))
                .add(segment(10, "S2", "Hello."))
                .add(segment(20, null, "...")));
  }

  private static JsonObject segment(long start, @Nullable String speaker, String text) {
    return new JsonObject()
        .put("start_ms", start)
        .put("end_ms", start + 5)
        .put("speaker", speaker)
        .put("text", text);
  }
}
