/** The durable log of deliveries and their attempts, checked before anything is sent. */
@NullMarked
package io.egress.webhook.deliverylog;

import org.jspecify.annotations.NullMarked;
