/** Looks over all workspaces, for operators. */
@NullMarked
package io.egress.api.operator;

import org.jspecify.annotations.NullMarked;
