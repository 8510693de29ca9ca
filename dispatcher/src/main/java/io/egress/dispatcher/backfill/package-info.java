/** Publishes histories and replays to endpoints. */
@NullMarked
package io.egress.dispatcher.backfill;

import org.jspecify.annotations.NullMarked;
