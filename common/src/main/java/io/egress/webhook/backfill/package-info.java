/** Parts of a stream that are sent to an endpoint besides what enters the stream. */
@NullMarked
package io.egress.webhook.backfill;

import org.jspecify.annotations.NullMarked;
