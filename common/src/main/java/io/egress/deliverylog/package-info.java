/** What became of deliveries: durable, and asked before anything is sent. */
@NullMarked
package io.egress.deliverylog;

import org.jspecify.annotations.NullMarked;
