package io.egress.settings;

import java.time.Duration;

/** Settings of the api role. */
public record ApiSettings(
    ListenerSettings publicListener,
    long maxCaptureBytes,
    long hookMemoryBytes,
    Duration hookStallTimeout,
    long pullMemoryBytes,
    Duration pullStallTimeout,
    int pullsHeldMax,
    Duration memoryWait,
    long clientBytesPerSecondMin,
    Duration sweepInterval,
    PortalSettings portal) {}
