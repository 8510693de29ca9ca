/** Calls on the queue of deliveries, which dispatchers keep. */
@NullMarked
package io.egress.api.admin.queue;

import org.jspecify.annotations.NullMarked;
