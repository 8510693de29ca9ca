/** JSON of records. */
@NullMarked
package io.egress.platform.json;

import org.jspecify.annotations.NullMarked;
