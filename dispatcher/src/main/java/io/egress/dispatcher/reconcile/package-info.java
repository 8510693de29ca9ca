/** Finds deliveries that are owed and missing from Kafka. */
@NullMarked
package io.egress.dispatcher.reconcile;

import org.jspecify.annotations.NullMarked;
