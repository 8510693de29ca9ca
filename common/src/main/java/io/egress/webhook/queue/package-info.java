/** Requests to publish again what is owed, and their progress. */
@NullMarked
package io.egress.webhook.queue;

import org.jspecify.annotations.NullMarked;
