/** Deliveries, as shared by api and dispatcher. */
@NullMarked
package io.egress.webhook.delivery;

import org.jspecify.annotations.NullMarked;
