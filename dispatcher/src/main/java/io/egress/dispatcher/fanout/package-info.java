/** Fan-out: from a capture that entered the stream to a delivery for each of its endpoints. */
@NullMarked
package io.egress.dispatcher.fanout;

import org.jspecify.annotations.NullMarked;
