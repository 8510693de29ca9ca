/** Deliveries, as shared by api and dispatcher. */
@NullMarked
package io.egress.delivery;

import org.jspecify.annotations.NullMarked;
