/** Attempts as they are shown: what was sent, and what came back. */
@NullMarked
package io.egress.api.admin.attempts;

import org.jspecify.annotations.NullMarked;
