package io.egress.api.admin.audit;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.Period;
import io.egress.api.intake.QueryValues;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.vertx.core.MultiMap;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A query of the audit log.
 *
 * @param workspaceId null for entries of all workspaces and those without a workspace
 * @param since only entries at or after this instant
 * @param after only entries after this position
 * @param limit null for the default page size, or for a complete export
 */
public record AuditFilter(
    @Nullable UUID workspaceId,
    @Nullable String action,
    @Nullable UUID thingId,
    @Nullable String actor,
    Instant since,
    AuditCursor after,
    @Nullable Integer limit) {

  public AuditFilter {
    requireNonNull(since, "since is null");
    requireNonNull(after, "after is null");
  }

  /** Throws {@link Refusal} with status 400. */
  public static AuditFilter from(@Nullable UUID workspaceId, MultiMap query, int limitMax) {
    Period period = Period.of(query);
    Instant from = period.from();
    Instant to = period.to();
    AuditCursor after = QueryValues.after(query, AuditCursor::decode);
    AuditCursor end = to == null ? AuditCursor.first() : AuditCursor.before(to);
    return new AuditFilter(
        workspaceId,
        QueryValues.one(query, "action", Optional::of, "must be given once"),
        QueryValues.one(query, "thing_id", PathIds::uuid, "must be one UUID"),
        QueryValues.one(query, "actor", Optional::of, "must be given once"),
        from == null ? Instant.EPOCH : from,
        after == null ? end : end.orLater(after),
        QueryValues.limit(query, limitMax));
  }

  AuditFilter after(AuditCursor cursor) {
    return new AuditFilter(workspaceId, action, thingId, actor, since, cursor, limit);
  }
}
