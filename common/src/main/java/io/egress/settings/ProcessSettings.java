package io.egress.settings;

import java.nio.file.Path;
import java.time.Duration;

/** What every process of the service has, whatever its role. */
public record ProcessSettings(Path dataDir, Duration shutdownTimeout) {}
