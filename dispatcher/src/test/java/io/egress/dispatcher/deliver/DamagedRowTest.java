package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.vertx.sqlclient.Row;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged rows cost at most the deliveries that need them. */
class DamagedRowTest {

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "1h"));
  private final UUID damagedWorkspace = UUID.randomUUID();
  private final UUID otherWorkspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update documents set crc32 = crc32 + 1 where capture_id = '%s'",
        "update documents set renderer = 0, deflated = '' where capture_id = '%s'",
        "update captures set speakers = '{1}', revision = revision + 1 where id = '%s'",
        "delete from documents where capture_id = '%s'"
      })
  void aDamagedDocumentFailsOnlyItsOwnDelivery(String damage) {
    endpoints();
    UUID damaged = fleet.captures(damagedWorkspace, 5).get(2);
    fleet.query(damage.formatted(damaged));
    fleet.captures(otherWorkspace, 5);

    fleet.dispatcher();

    awaitDelivered(9);
    awaitFailed(damaged);
  }

  @Test
  void anUnreadableRowFailsOnlyItsOwnDelivery() {
    endpoints();
    UUID damaged = fleet.captures(damagedWorkspace, 5).get(2);
    fleet.captures(otherWorkspace, 5);
    fleet.query(
        """
        create or replace view current_documents as
        select d.capture_id, case when d.capture_id = '%s' then 1 / (d.length - d.length) else d.revision end as revision,
          d.renderer, d.length, d.crc32, d.checksum, d.deflated, c.workspace_id
        from documents d join captures c on c.id = d.capture_id
        """
            .formatted(damaged));

    fleet.dispatcher();

    awaitDelivered(9);
    awaitFailed(damaged);
  }

  private void endpoints() {
    fleet.endpoint(damagedWorkspace, "damaged");
    fleet.endpoint(otherWorkspace, "other");
  }

  private void awaitDelivered(int deliveries) {
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == deliveries);
  }

  private void awaitFailed(UUID captureId) {
    String failed =
        "select last_outcome, state from deliveries where capture_id = '%s'".formatted(captureId);
    await().until(() -> fleet.query(failed).size() == 1);
    Row row = fleet.query(failed).iterator().next();
    assertThat(row.getString("last_outcome")).isEqualTo("document");
    assertThat(row.getString("state")).isEqualTo("pending");
  }
}
