package io.egress.webhook.send;

import org.jspecify.annotations.Nullable;

/**
 * A header of a request or a response.
 *
 * @param value null if it is withheld
 */
public record ShownHeader(String name, @Nullable String value) {}
