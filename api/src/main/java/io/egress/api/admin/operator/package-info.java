/** Looks over all workspaces and finds captures in them, for operators. */
@NullMarked
package io.egress.api.admin.operator;

import org.jspecify.annotations.NullMarked;
