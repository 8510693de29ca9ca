/** Clients' endpoints: URLs, addresses that may be called, and signing secrets. */
@NullMarked
package io.egress.webhook.endpoint;

import org.jspecify.annotations.NullMarked;
