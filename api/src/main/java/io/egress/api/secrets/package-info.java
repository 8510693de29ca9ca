/** The keys that signing secrets are encrypted with. */
@NullMarked
package io.egress.api.secrets;

import org.jspecify.annotations.NullMarked;
