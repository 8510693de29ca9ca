/**
 * Reading from Kafka as a member of a consumer group, with partitions that are drained before they
 * are handed over.
 */
@NullMarked
package io.egress.dispatcher.consume;

import org.jspecify.annotations.NullMarked;
