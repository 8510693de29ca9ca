/** A capture's path through the service, as the spans of one trace. */
@NullMarked
package io.egress.webhook.trace;

import org.jspecify.annotations.NullMarked;
