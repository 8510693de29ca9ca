/** Clients' endpoints: URLs, addresses that may be called, and signing secrets. */
@NullMarked
package io.egress.endpoint;

import org.jspecify.annotations.NullMarked;
