/** Sending captures to an endpoint again: replays, and redeliveries of single captures. */
@NullMarked
package io.egress.api.replays;

import org.jspecify.annotations.NullMarked;
