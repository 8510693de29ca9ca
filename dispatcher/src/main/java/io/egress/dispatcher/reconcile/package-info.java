/** Finds deliveries that are owed and that Kafka no longer has. */
@NullMarked
package io.egress.dispatcher.reconcile;

import org.jspecify.annotations.NullMarked;
