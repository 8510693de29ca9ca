/** What became of deliveries: durable, and asked before anything is sent. */
@NullMarked
package io.egress.dispatcher.journal;

import org.jspecify.annotations.NullMarked;
