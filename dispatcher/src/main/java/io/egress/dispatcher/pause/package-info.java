/** Endpoints of which every attempt fails: when they are announced, and when paused. */
@NullMarked
package io.egress.dispatcher.pause;

import org.jspecify.annotations.NullMarked;
