/** The keys that encrypt signing secrets. */
@NullMarked
package io.egress.api.admin.secrets;

import org.jspecify.annotations.NullMarked;
