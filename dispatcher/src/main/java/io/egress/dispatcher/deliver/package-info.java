/** A worker: from a record read to an outcome that is durable. */
@NullMarked
package io.egress.dispatcher.deliver;

import org.jspecify.annotations.NullMarked;
