@NullMarked
package io.egress.webhook.deliverylog;

import org.jspecify.annotations.NullMarked;
