package io.egress.webhook.endpoint;

import io.egress.platform.database.Rows;
import io.egress.platform.json.Json;
import io.egress.webhook.delivery.Owed;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An endpoint as it is shown: the columns that are read of it, and what they mean. */
final class EndpointRow {
  /** Release 1.0.0 ends an overlap without this one. */
  static final String SIGNING_KEYS =
      "case when spec @> '{\"standard_webhooks\": true, \"standard_webhooks_ed25519\": true}' then"
          + " array_remove(array[signing_key, case"
          + " when previous_signing_key_until > now() and previous_secret_until > now()"
          + " then previous_signing_key end], null) else '{}' end as signing_keys";

  private static final String COLUMNS =
      "id, spec::text as spec, full_history, header_names,"
          + " client_certificate_subject, client_certificate_expires_at,"
          + " oauth2_shown::text as oauth2_shown,"
          + " paused, paused_at, paused_reason, created_position, created_at, filters::text as filters,"
          + " case when previous_secret_until > now() then previous_secret_until end"
          + " as previous_secret_until, "
          + SIGNING_KEYS
          + ", case when previous_signing_key_until > now() then previous_signing_key_until end"
          + " as previous_signing_key_until";

  /** Of a table {@code t} with the columns of {@code turns}. */
  private static final String PAGING =
      ", (select jsonb_build_object('batch', t.batch, 'max_body', t.max_body, 'first_position', t.first_position,"
          + " 'position', t.read_up_to, 'behind', (select stream_head from workspaces w where w.id = workspace_id)"
          + " - t.read_up_to, 'changes_position', case when wants_changes(spec) then t.changes_read_up_to end, 'held', case when t.held_capture is not null then jsonb_build_object('capture_id',"
          + " t.held_capture, 'since', to_char(t.failing_since at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),"
          + " 'outcome', t.last_outcome, 'status', t.last_status) end)::text"
          + " from %s t where t.endpoint_id = id) as paging";

  static final String SHOWN = shown("turns");

  /** {@code turns} has the columns of that table. */
  static String shown(String turns) {
    return COLUMNS + PAGING.formatted(turns);
  }

  private EndpointRow() {}

  /** The columns of {@code turns} in a row. */
  private record StoredPaging(
      int batch,
      int maxBody,
      long firstPosition,
      long position,
      long behind,
      @Nullable Long changesPosition,
      Paging.@Nullable Held held) {
    private Paging shown() {
      return new Paging(
          DeliveryMode.STREAM, batch, maxBody, position, behind, changesPosition, held);
    }
  }

  static Endpoint endpoint(Row row) {
    String stored = row.getString("paging");
    StoredPaging turn = stored == null ? null : Json.decode(stored, StoredPaging.class);
    Owed owed = Owed.of(row);
    return new Endpoint(
        row.getUUID("id"),
        StoredSpec.decode(row.getString("spec")),
        turn == null ? Paging.NONE : turn.shown(),
        turn == null ? owed.firstPosition() == 1 && owed.fullHistory() : turn.firstPosition() == 0,
        List.of(row.getArrayOfStrings("header_names")),
        certificate(row),
        oauth2(row),
        row.getBoolean("paused"),
        Rows.optionalInstant(row, "paused_at"),
        row.getString("paused_reason"),
        turn == null ? owed.beginsAfter() : turn.firstPosition(),
        Rows.instant(row, "created_at"),
        Rows.optionalInstant(row, "previous_secret_until"),
        signingKeys(row),
        owed);
  }

  static List<SigningKey> signingKeys(Row row) {
    Instant until = Rows.optionalInstant(row, "previous_signing_key_until");
    List<SigningKey> keys = new ArrayList<>();
    for (Buffer stored : row.getArrayOfBuffers("signing_keys")) {
      keys.add(new SigningKey(SigningKeys.raw(stored), keys.isEmpty() ? null : until));
    }
    return keys;
  }

  private static ClientCertificate.@Nullable Shown certificate(Row row) {
    Instant expiresAt = Rows.optionalInstant(row, "client_certificate_expires_at");
    return expiresAt == null
        ? null
        : new ClientCertificate.Shown(row.getString("client_certificate_subject"), expiresAt);
  }

  private static OAuth2Client.@Nullable Shown oauth2(Row row) {
    String shown = row.getString("oauth2_shown");
    return shown == null ? null : Json.decode(shown, OAuth2Client.Shown.class);
  }
}
