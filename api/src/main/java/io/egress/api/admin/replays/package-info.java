/** Replays of a stream to an endpoint, and redeliveries of single captures. */
@NullMarked
package io.egress.api.admin.replays;

import org.jspecify.annotations.NullMarked;
