package io.egress.settings;

import static java.util.Objects.requireNonNull;

import io.egress.platform.log.LogSettings;
import io.egress.platform.trace.TracingSettings;
import java.nio.file.Path;
import java.time.Duration;

/** Settings of every process, whatever its role. */
public record ProcessSettings(
    Path dataDir,
    Duration shutdownTimeout,
    Duration idleTimeout,
    LogSettings log,
    TracingSettings tracing) {
  public ProcessSettings {
    requireNonNull(dataDir, "dataDir is null");
    requireNonNull(shutdownTimeout, "shutdownTimeout is null");
    requireNonNull(idleTimeout, "idleTimeout is null");
    requireNonNull(log, "log is null");
    requireNonNull(tracing, "tracing is null");
  }
}
