/** From a capture that entered the stream to a delivery for each endpoint that gets it. */
@NullMarked
package io.egress.dispatcher.fanout;

import org.jspecify.annotations.NullMarked;
