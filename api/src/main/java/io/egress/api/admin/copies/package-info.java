/** Who has a copy of a capture. */
@NullMarked
package io.egress.api.admin.copies;

import org.jspecify.annotations.NullMarked;
