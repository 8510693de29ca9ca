/** Creations that may be repeated if their answer was lost. */
@NullMarked
package io.egress.api.admin.idempotency;

import org.jspecify.annotations.NullMarked;
