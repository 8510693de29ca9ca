/** Endpoints that fail for so long that they are paused, and who is told of it. */
@NullMarked
package io.egress.dispatcher.pause;

import org.jspecify.annotations.NullMarked;
