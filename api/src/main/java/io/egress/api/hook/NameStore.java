package io.egress.api.hook;

import io.egress.api.intake.NameBody;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Devices and members in the database. A name shown in a document is either locked by {@link #hold}
 * until the document is stored, or changed by {@link #change}, which marks every affected document
 * as stale in the same transaction. No reader therefore sees an outdated name.
 */
final class NameStore {
  private static final String READ_DEVICES =
      """
      select d.workspace_id, d.id, d.name,
        exists (select from workspaces w where w.id = d.workspace_id and w.ended_at is not null) as has_ended
      from devices d join unnest($1::uuid[], $2::uuid[]) as asked(workspace_id, id) using (workspace_id, id)
      """;
  private static final String READ_MEMBERS =
      """
      select m.workspace_id, m.id, m.name, m.email from members m
      join unnest($1::uuid[], $2::uuid[]) as asked(workspace_id, id) using (workspace_id, id)
      """;
  private static final String HOLD_DEVICES = READ_DEVICES + "order by 1, 2 for share of d";
  private static final String HOLD_MEMBERS = READ_MEMBERS + "order by 1, 2 for share of m";

  private static final String ADD_WORKSPACES =
      """
      with added as (
        insert into workspaces (id) select unnest($1::uuid[]) order by 1 on conflict do nothing)
      select id from workspaces where id = any($1) and ended_at is not null
      """;

  /**
   * Takes constant time, however many captures show the name; {@code Revisions} renders their
   * documents.
   */
  private static final String RENAME =
      """
      insert into renames (workspace_id, kind, named_id) select workspace_id, kind, id from put where renamed
      on conflict (workspace_id, kind, named_id) do update set revised_up_to = default, requested_at = now()
      """;

  private static final String PUT_DEVICE =
      """
      with put as (
        insert into devices as d (workspace_id, id, name) values ($1, $2, $3)
        on conflict (workspace_id, id) do update set name = excluded.name
        where $4 and d.name is distinct from excluded.name
        returning workspace_id, 'device' as kind, id, xmax <> 0 as renamed)
      """
          + RENAME;
  private static final String PUT_MEMBER =
      """
      with put as (
        insert into members as m (workspace_id, id, name, email) values ($1, $2, $3, $4)
        on conflict (workspace_id, id) do update set
          name = case when $5 then excluded.name else m.name end,
          email = case when $6 then excluded.email else m.email end
        where ($5 and m.name is distinct from excluded.name) or ($6 and m.email is distinct from excluded.email)
        returning workspace_id, 'member' as kind, id, xmax <> 0 as renamed)
      """
          + RENAME;

  /** Returns those of them that have ended. */
  Future<Set<UUID>> addWorkspaces(SqlConnection tx, Collection<UUID> ids) {
    return tx.preparedQuery(ADD_WORKSPACES)
        .execute(Tuple.of(ids.toArray(UUID[]::new)))
        .map(rows -> {
          Set<UUID> ended = new HashSet<>();
          rows.forEach(row -> ended.add(row.getUUID("id")));
          return ended;
        });
  }

  /** Returns the stored names without locking them. */
  Future<Names> read(SqlConnection tx, Names asked) {
    return select(tx, asked, READ_DEVICES, READ_MEMBERS);
  }

  /** Returns the stored names, locked until the transaction ends. */
  Future<Names> hold(SqlConnection tx, Names asked) {
    return select(tx, asked, HOLD_DEVICES, HOLD_MEMBERS);
  }

  /**
   * Stores what {@code said} changes, and returns all that it names, as stored and locked. {@code
   * known} was read a moment ago: unless it is {@code locked}, a member may have been erased since.
   */
  Future<Names> put(
      SqlConnection tx, Names said, Names known, boolean locked, Runnable whenRenamed) {
    Names changes = known.changesBy(said);
    return locked && changes.isEmpty()
        ? Future.succeededFuture(known)
        : change(tx, changes)
            .compose(renamed -> {
              if (renamed) {
                whenRenamed.run();
              }
              return hold(tx, said);
            })
            .compose(held -> put(tx, said, held, true, whenRenamed));
  }

  /** Inserts or renames. Returns whether a name that captures may show has changed. */
  Future<Boolean> change(SqlConnection tx, Names changes) {
    Future<Boolean> renamed = Future.succeededFuture(false);
    for (var entry : changes.devices().entrySet()) {
      var named = new NameBody.NamedDevice(entry.getKey().workspaceId(), entry.getValue(), true);
      renamed = renamed.compose(before -> change(tx, named).map(now -> before || now));
    }
    for (var entry : changes.members().entrySet()) {
      UUID workspaceId = entry.getKey().workspaceId();
      var change = new NameBody.MemberChange(entry.getValue(), true, true);
      renamed =
          renamed.compose(before -> change(tx, workspaceId, change).map(now -> before || now));
    }
    return renamed;
  }

  /** Inserts the device, or changes what is given. */
  Future<Boolean> change(SqlConnection tx, NameBody.NamedDevice named) {
    Device device = named.device();
    return isChanged(
        tx,
        PUT_DEVICE,
        Tuple.of(named.workspaceId(), device.id(), device.name(), named.changesName()));
  }

  /** Inserts the member, or changes what is given. The member is locked either way. */
  Future<Boolean> change(SqlConnection tx, UUID workspaceId, NameBody.MemberChange change) {
    Member member = change.member();
    return isChanged(
        tx,
        PUT_MEMBER,
        Tuple.of(
            workspaceId,
            member.id(),
            member.name(),
            member.email(),
            change.changesName(),
            change.changesEmail()));
  }

  private static Future<Boolean> isChanged(SqlConnection tx, String put, Tuple values) {
    return tx.preparedQuery(put).execute(values).map(rows -> rows.rowCount() > 0);
  }

  private static Future<Names> select(
      SqlConnection tx, Names asked, String devices, String members) {
    Future<RowSet<Row>> foundDevices =
        tx.preparedQuery(devices).execute(addKeys(Tuple.tuple(), asked.devices().keySet()));
    Future<? extends Iterable<Row>> foundMembers =
        asked.members().isEmpty()
            ? Future.succeededFuture(List.of())
            : tx.preparedQuery(members).execute(addKeys(Tuple.tuple(), asked.members().keySet()));
    return Future.join(foundDevices, foundMembers)
        .map(_ -> names(foundDevices.result(), foundMembers.result()));
  }

  private static Names names(Iterable<Row> devices, Iterable<Row> members) {
    Names names = new Names();
    for (Row row : devices) {
      names.add(row.getUUID("workspace_id"), new Device(row.getUUID("id"), row.getString("name")));
      if (row.getBoolean("has_ended")) {
        names.end(Set.of(row.getUUID("workspace_id")));
      }
    }
    for (Row row : members) {
      names.add(
          row.getUUID("workspace_id"),
          new Member(row.getUUID("id"), row.getString("name"), row.getString("email")));
    }
    return names;
  }

  static Tuple addKeys(Tuple columns, Collection<Names.Key> keys) {
    return columns
        .addArrayOfUUID(keys.stream().map(Names.Key::workspaceId).toArray(UUID[]::new))
        .addArrayOfUUID(keys.stream().map(Names.Key::id).toArray(UUID[]::new));
  }
}
