package io.egress.api.portal.view;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An entry of the audit log. */
public record AuditRow(
    Instant at,
    String actor,
    String via,
    String from,
    String action,
    @Nullable UUID thingId,
    String sentence) {}
