/** What is erased on request: captures and members. */
@NullMarked
package io.egress.api.erasures;

import org.jspecify.annotations.NullMarked;
