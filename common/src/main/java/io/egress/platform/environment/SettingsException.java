package io.egress.platform.environment;

import java.util.List;

/** Invalid settings, with all faults at once. */
public final class SettingsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> faults;

  public SettingsException(List<String> faults) {
    super("unusable settings: " + String.join("; ", faults));
    this.faults = List.copyOf(faults);
  }

  public List<String> faults() {
    return faults;
  }
}
