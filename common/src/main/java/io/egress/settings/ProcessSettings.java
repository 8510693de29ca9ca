package io.egress.settings;

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
    TracingSettings tracing) {}
