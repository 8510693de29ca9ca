/**
 * Reading the delivery topics: partitions that pause by themselves, and are handed over drained.
 */
@NullMarked
package io.egress.dispatcher.consume;

import org.jspecify.annotations.NullMarked;
