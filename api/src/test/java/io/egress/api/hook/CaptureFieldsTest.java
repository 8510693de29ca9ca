package io.egress.api.hook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.platform.metrics.Metrics;
import io.egress.testing.DescribedCall;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.RevisedCapture;
import io.egress.transcript.capture.Segment;
import io.egress.transcript.document.CaptureTable;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.document.TranscriptRenderer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** A new field of a capture fails here until it is compared, stored, read, shown and described. */
class CaptureFieldsTest {
  /** The key of the row, and what no other call may change. */
  private static final Set<String> NOT_CHANGED = Set.of("id", "workspaceId");

  /** A document contains the member's name and email only. */
  private static final Set<String> NOT_SHOWN = Set.of("participants.member.id");

  private static final Service service = Service.shared();
  private static CaptureWriter writer;

  @BeforeAll
  static void start() {
    writer =
        new CaptureWriter(
            service.database,
            new DocumentStore(service.vertx, service.database, new Metrics()),
            new Hook.Wakeups(_ -> {}, () -> {}));
  }

  @TestFactory
  Stream<DynamicTest> eachFieldIsCompared() {
    Capture capture = capture();
    return changes(capture).entrySet().stream()
        .filter(change -> !change.getKey().equals("id"))
        .map(change ->
            DynamicTest.dynamicTest(
                change.getKey(),
                () ->
                    assertThat(CaptureTable.Entry.of(change.getValue()).digest())
                        .isNotEqualTo(CaptureTable.Entry.of(capture).digest())));
  }

  @TestFactory
  Stream<DynamicTest> eachFieldIsInsertedUpdatedAndReadBack() {
    return changes(capture()).keySet().stream()
        .filter(field -> !NOT_CHANGED.contains(field))
        .map(field ->
            DynamicTest.dynamicTest(
                field,
                () -> {
                  Capture before = capture();
                  Capture after = requireNonNull(changes(before).get(field));
                  assertThat(put(before)).isEqualTo(PutResult.CREATED);
                  assertThat(stored(before)).isEqualTo(before);
                  assertThat(put(after)).isEqualTo(PutResult.UPDATED);
                  assertThat(stored(before)).isEqualTo(after);
                  assertThat(document(after)).isEqualTo(rendered(after));
                }));
  }

  @TestFactory
  Stream<DynamicTest> eachFieldIsShown() {
    Capture capture = capture();
    return changes(capture).entrySet().stream()
        .filter(change -> !NOT_SHOWN.contains(change.getKey()))
        .map(change ->
            DynamicTest.dynamicTest(
                change.getKey(),
                () -> assertThat(rendered(change.getValue())).isNotEqualTo(rendered(capture))));
  }

  @TestFactory
  Stream<DynamicTest> eachFieldIsDescribed() {
    JsonObject described = Service.internalDescription();
    JsonObject capture =
        described.getJsonObject("components").getJsonObject("schemas").getJsonObject("Capture");
    return changes(capture()).keySet().stream()
        .map(CaptureFieldsTest::wireName)
        .map(field ->
            DynamicTest.dynamicTest(
                field,
                () -> {
                  JsonObject schema = capture;
                  for (String name : field.split("\\.", -1)) {
                    schema =
                        object(described, schema).getJsonObject("properties").getJsonObject(name);
                    assertThat(schema).as(name).isNotNull();
                  }
                }));
  }

  private static String wireName(String field) {
    return field.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  /** The schema whose properties a value or the elements of an array have. */
  private static JsonObject object(JsonObject described, JsonObject schema) {
    JsonObject one = schema.getJsonObject("items", schema);
    return DescribedCall.resolved(
        described, one.getJsonArray("oneOf", new JsonArray().add(one)).getJsonObject(0));
  }

  @Test
  void eachFieldKeepsItsValueWhenNamesChange() {
    Capture capture = capture();

    assertThat(capture.withNames(capture.device(), member -> member)).isEqualTo(capture);
  }

  /** The captures that differ from {@code capture} in one field each, by the name of the field. */
  private static Map<String, Capture> changes(Capture capture) {
    Map<String, Capture> changes = new LinkedHashMap<>();
    changes("", capture).forEach((field, changed) -> changes.put(field, (Capture) changed));
    return changes;
  }

  private static Map<String, Object> changes(String field, Object value) {
    Map<String, Object> changes = new LinkedHashMap<>();
    if (value instanceof Record row) {
      String prefix = field.isEmpty() ? "" : field + ".";
      RecordComponent[] components = row.getClass().getRecordComponents();
      for (int i = 0; i < components.length; i++) {
        int changed = i;
        changes(prefix + components[i].getName(), component(row, components[i]))
            .forEach((name, with) -> changes.put(name, with(row, changed, with)));
      }
    } else if (value instanceof List<?> rows) {
      List<?> others = rows.subList(0, rows.size() - 1);
      changes(field, rows.get(rows.size() - 1))
          .forEach((name, with) -> {
            List<Object> changed = new ArrayList<>(others);
            changed.add(with);
            changes.put(name, changed);
          });
    } else {
      changes.put(field, other(value));
    }
    return changes;
  }

  private static Object other(Object value) {
    return switch (value) {
      case UUID id -> new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() + 1);
      case String text -> text.equals("S1") ? "S2" : text + " changed";
      case Instant instant -> instant.plusSeconds(1);
      case Long number -> number + 1;
      case Double number -> number / 2;
      case Mode mode -> mode == Mode.MANUAL ? Mode.AMBIENT : Mode.MANUAL;
      default -> throw new AssertionError("No other value is known for " + value.getClass());
    };
  }

  private static Object component(Record row, RecordComponent component) {
    try {
      return component.getAccessor().invoke(row);
    } catch (ReflectiveOperationException failure) {
      throw new LinkageError(failure.getMessage(), failure);
    }
  }

  private static Record with(Record row, int changed, Object value) {
    RecordComponent[] components = row.getClass().getRecordComponents();
    Class<?>[] types = Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    Object[] values = Stream.of(components).map(each -> component(row, each)).toArray();
    values[changed] = value;
    try {
      return row.getClass().getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException failure) {
      throw new LinkageError(failure.getMessage(), failure);
    }
  }

  private static PutResult put(Capture capture) {
    return Service.await(writer.put(List.of(writer.prepare(capture, null)))).get(0);
  }

  private static Capture stored(Capture capture) {
    List<RevisedCapture> found =
        Service.await(CaptureTable.read(service.database, List.of(capture.id())))
            .parse()
            .captures();
    assertThat(found).hasSize(1);
    return found.get(0).capture();
  }

  private static String document(Capture capture) {
    Row row =
        service
            .query(
                "select length, crc32, deflated from documents where capture_id = '%s'"
                    .formatted(capture.id()))
            .iterator()
            .next();
    Fragment stored =
        new Fragment(row.getBuffer("deflated"), row.getInteger("crc32"), row.getLong("length"));
    return new String(stored.inflate(), UTF_8);
  }

  private static String rendered(Capture capture) {
    return new String(new TranscriptRenderer().render(capture), UTF_8);
  }

  /** No field is null, and each can be changed alone. */
  private static Capture capture() {
    Instant started = Instant.parse("2026-05-01T10:00:00Z");
    return new Capture(
        UUID.randomUUID(),
        UUID.randomUUID(),
        Mode.AMBIENT,
        "Weekly",
        "What was said.",
        started,
        started.plusSeconds(1800),
        1_800_000L,
        new Device(UUID.randomUUID(), "Atlas"),
        List.of(
            new Participant("S1", new Member(UUID.randomUUID(), "Ada", "ada@example.com"), 0.9, 10),
            new Participant("S2", null, null, 7),
            new Participant(
                "S3", new Member(UUID.randomUUID(), "Grace", "grace@example.com"), 0.8, 20)),
        List.of(new Segment(0, 900, "S2", "First."), new Segment(1_000, 2_000, "S1", "Second.")));
  }
}
