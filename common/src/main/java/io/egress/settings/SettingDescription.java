package io.egress.settings;

import org.jspecify.annotations.Nullable;

/**
 * One row of the settings table in the documentation. A setting without a fallback is required; an
 * empty one stands for none.
 */
public record SettingDescription(String name, @Nullable String fallback, String meaning) {}
