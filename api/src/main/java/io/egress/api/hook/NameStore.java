package io.egress.api.hook;

import io.egress.capture.Device;
import io.egress.capture.Member;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * Devices and members in the database. A name that a document shows is either held still by {@link
 * #hold} until the document is stored, or changed by {@link #change}, which lifts the revision of
 * every capture it touches: so no document can be stored with a name that has passed.
 */
final class NameStore {
  private static final String READ_DEVICES =
      """
      select d.workspace_id, d.id, d.name from devices d
      join unnest($1::uuid[], $2::uuid[]) as asked(workspace_id, id) using (workspace_id, id)
      """;
  private static final String READ_MEMBERS =
      """
      select m.workspace_id, m.id, m.name, m.email from members m
      join unnest($1::uuid[], $2::uuid[]) as asked(workspace_id, id) using (workspace_id, id)
      """;
  private static final String HOLD_DEVICES = READ_DEVICES + "order by 1, 2 for share of d";
  private static final String HOLD_MEMBERS = READ_MEMBERS + "order by 1, 2 for share of m";

  private static final String ADD_WORKSPACES =
      "insert into workspaces (id) select unnest($1::uuid[]) order by 1 on conflict do nothing";

  private static final String PUT_DEVICE =
      """
      insert into devices as d (workspace_id, id, name) values ($1, $2, $3)
      on conflict (workspace_id, id) do update set name = excluded.name
      where d.name is distinct from excluded.name
      returning xmax <> 0 as renamed
      """;
  private static final String PUT_MEMBER =
      """
      insert into members as m (workspace_id, id, name, email) values ($1, $2, $3, $4)
      on conflict (workspace_id, id) do update set name = excluded.name, email = excluded.email
      where (m.name, m.email) is distinct from (excluded.name, excluded.email)
      returning xmax <> 0 as renamed
      """;
  private static final String REVISE_BY_DEVICE =
      """
      with touched as (
        select id from captures where workspace_id = $1 and device_id = $2 order by id for update)
      update captures c set revision = revision + 1, updated_at = now() from touched where c.id = touched.id
      """;
  private static final String REVISE_BY_MEMBER =
      """
      with touched as (
        select id from captures where id in (
          select capture_id from participants where workspace_id = $1 and member_id = $2)
        order by id for update)
      update captures c set revision = revision + 1, updated_at = now() from touched where c.id = touched.id
      """;

  Future<Void> addWorkspaces(SqlConnection tx, Collection<UUID> ids) {
    return tx.preparedQuery(ADD_WORKSPACES).execute(Tuple.of(ids.toArray(UUID[]::new))).mapEmpty();
  }

  /** What the database knows of {@code asked}, without holding it still. */
  Future<Names> read(SqlConnection tx, Names asked) {
    return select(tx, asked, READ_DEVICES, READ_MEMBERS);
  }

  /** What the database knows of {@code asked}; nobody can change it until the transaction ends. */
  Future<Names> hold(SqlConnection tx, Names asked) {
    return select(tx, asked, HOLD_DEVICES, HOLD_MEMBERS);
  }

  /** Adds or renames, and lifts the revision of every capture that shows what was renamed. */
  Future<Void> change(SqlConnection tx, Names changes) {
    Future<Void> changed = Future.succeededFuture();
    for (var device : changes.devices().entrySet()) {
      changed = changed.compose(done -> put(tx, device.getKey(), device.getValue()));
    }
    for (var member : changes.members().entrySet()) {
      changed = changed.compose(done -> put(tx, member.getKey(), member.getValue()));
    }
    return changed;
  }

  private Future<Void> put(SqlConnection tx, Names.Key key, Device device) {
    return tx.preparedQuery(PUT_DEVICE)
        .execute(Tuple.of(key.workspaceId(), key.id(), device.name()))
        .compose(rows -> revise(tx, rows, REVISE_BY_DEVICE, key));
  }

  private Future<Void> put(SqlConnection tx, Names.Key key, Member member) {
    return tx.preparedQuery(PUT_MEMBER)
        .execute(Tuple.of(key.workspaceId(), key.id(), member.name(), member.email()))
        .compose(rows -> revise(tx, rows, REVISE_BY_MEMBER, key));
  }

  private static Future<Void> revise(
      SqlConnection tx, RowSet<Row> put, String revise, Names.Key key) {
    boolean renamed = put.size() > 0 && put.iterator().next().getBoolean("renamed");
    return renamed
        ? tx.preparedQuery(revise).execute(Tuple.of(key.workspaceId(), key.id())).mapEmpty()
        : Future.succeededFuture();
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
        .map(both -> names(foundDevices.result(), foundMembers.result()));
  }

  private static Names names(Iterable<Row> devices, Iterable<Row> members) {
    Names names = new Names();
    for (Row row : devices) {
      names.add(row.getUUID("workspace_id"), new Device(row.getUUID("id"), row.getString("name")));
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
