/** The keys that encrypt signing secrets. */
@NullMarked
package io.egress.api.secrets;

import org.jspecify.annotations.NullMarked;
