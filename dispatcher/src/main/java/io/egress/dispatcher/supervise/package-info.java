/** Restarts parts of the dispatcher that fail or cannot work. */
@NullMarked
package io.egress.dispatcher.supervise;

import org.jspecify.annotations.NullMarked;
