/** Brings the history of a workspace to the endpoints that were created with it. */
@NullMarked
package io.egress.dispatcher.backfill;

import org.jspecify.annotations.NullMarked;
