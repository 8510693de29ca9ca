package io.egress.settings;

import org.jspecify.annotations.Nullable;

/** One row of the settings table in the documentation. */
public record SettingDescription(String name, @Nullable String fallback, String meaning) {}
