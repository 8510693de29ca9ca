package io.egress.api.admin.audit;

import static java.util.Objects.requireNonNull;

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
public record AuditQuestion(
    @Nullable UUID workspaceId,
    @Nullable String action,
    @Nullable UUID thingId,
    @Nullable String actor,
    Instant since,
    AuditPlace after,
    @Nullable Integer limit) {

  public AuditQuestion {
    requireNonNull(since, "since is null");
    requireNonNull(after, "after is null");
  }

  /** Throws {@link Refusal} with status 400. */
  public static AuditQuestion from(@Nullable UUID workspaceId, MultiMap query, int limitMax) {
    Instant from = QueryValues.instant(query, "from");
    Instant to = QueryValues.instant(query, "to");
    AuditPlace after =
        QueryValues.one(
            query,
            "after",
            AuditPlace::decode,
            "must be one cursor, exactly as a pageInfo.endCursor of this list gave it");
    AuditPlace end = to == null ? AuditPlace.first() : AuditPlace.before(to);
    return new AuditQuestion(
        workspaceId,
        QueryValues.one(query, "action", Optional::of, "must be given once"),
        QueryValues.one(query, "thing_id", PathIds::uuid, "must be one UUID"),
        QueryValues.one(query, "actor", Optional::of, "must be given once"),
        from == null ? Instant.EPOCH : from,
        after == null ? end : end.orLater(after),
        QueryValues.limit(query, limitMax));
  }

  AuditQuestion after(AuditPlace place) {
    return new AuditQuestion(workspaceId, action, thingId, actor, since, place, limit);
  }
}
