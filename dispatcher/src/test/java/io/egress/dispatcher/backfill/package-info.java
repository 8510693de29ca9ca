@NullMarked
package io.egress.dispatcher.backfill;

import org.jspecify.annotations.NullMarked;
