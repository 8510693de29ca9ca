package io.egress.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * What a change sets. URL and pause stay as they are where null; a description may be set to null.
 */
public record EndpointChange(
    @Nullable String url,
    boolean setsDescription,
    @Nullable String description,
    @Nullable Boolean paused) {}
