package io.egress.settings;

import io.egress.platform.http.ListenerSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the api role.
 *
 * @param retention how long captures are kept; null for good
 * @param workspaceRate captures per second that a workspace may put in; null for any number
 */
public record ApiSettings(
    ListenerSettings publicListener,
    long maxCaptureBytes,
    MemoryShares memory,
    Duration hookStallTimeout,
    Duration pullStallTimeout,
    int pullsHeldMax,
    Duration memoryWait,
    long clientBytesPerSecondMin,
    Duration relayInterval,
    @Nullable Duration retention,
    @Nullable Integer workspaceRate,
    PortalSettings portal) {}
