/** Logging and retrying while a backend is unavailable. */
@NullMarked
package io.egress.platform.outage;

import org.jspecify.annotations.NullMarked;
