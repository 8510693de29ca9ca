/** Publishes the turns that nobody else does. */
@NullMarked
package io.egress.dispatcher.turn;

import org.jspecify.annotations.NullMarked;
