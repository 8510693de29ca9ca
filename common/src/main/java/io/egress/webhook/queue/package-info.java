/** The topics that hold what is owed, and requests to publish it again. */
@NullMarked
package io.egress.webhook.queue;

import org.jspecify.annotations.NullMarked;
