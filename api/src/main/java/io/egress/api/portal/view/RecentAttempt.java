package io.egress.api.portal.view;

import java.util.UUID;

/** An attempt of some delivery to an endpoint. */
public record RecentAttempt(UUID deliveryId, long position, AttemptRow attempt) {}
