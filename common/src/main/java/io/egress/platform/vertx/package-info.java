/** The internal API of Vert.x that the service uses. Nothing else imports it without a reason. */
@NullMarked
package io.egress.platform.vertx;

import org.jspecify.annotations.NullMarked;
