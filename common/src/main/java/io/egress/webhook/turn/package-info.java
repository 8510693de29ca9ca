/** The pages that endpoints are sent which get the stream itself. */
@NullMarked
package io.egress.webhook.turn;

import org.jspecify.annotations.NullMarked;
