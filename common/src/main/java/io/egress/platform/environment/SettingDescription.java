package io.egress.platform.environment;

import org.jspecify.annotations.Nullable;

/**
 * A row of the settings table in the documentation. A setting without a default is required; an
 * empty default means none.
 */
public record SettingDescription(String name, @Nullable String fallback, String meaning) {}
