/** What is erased on request: captures and members. */
@NullMarked
package io.egress.api.admin.erasures;

import org.jspecify.annotations.NullMarked;
