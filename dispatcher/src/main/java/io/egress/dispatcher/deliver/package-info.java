/** A worker: from reading a record to a durable outcome. */
@NullMarked
package io.egress.dispatcher.deliver;

import org.jspecify.annotations.NullMarked;
