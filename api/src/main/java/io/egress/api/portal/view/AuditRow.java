package io.egress.api.portal.view;

import java.time.Instant;

/**
 * An entry of the audit log.
 *
 * @param thing the name of what was changed, or its id; empty if there is none
 * @param path its page, below the workspace's; empty if it has none
 */
public record AuditRow(
    Instant at,
    String actor,
    String via,
    String from,
    String action,
    String thing,
    String path,
    String sentence) {}
