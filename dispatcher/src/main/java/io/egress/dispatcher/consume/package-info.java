/** Consuming from Kafka as a member of a group that drains partitions before handing them over. */
@NullMarked
package io.egress.dispatcher.consume;

import org.jspecify.annotations.NullMarked;
