/** Writes that are repeated until they are durable. */
@NullMarked
package io.egress.dispatcher.durable;

import org.jspecify.annotations.NullMarked;
