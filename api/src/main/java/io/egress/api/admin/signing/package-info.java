/** The key pairs of the service that sign webhooks by Ed25519. */
@NullMarked
package io.egress.api.admin.signing;

import org.jspecify.annotations.NullMarked;
