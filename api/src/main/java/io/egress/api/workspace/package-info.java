/** Shared by the calls on things that belong to a workspace. */
@NullMarked
package io.egress.api.workspace;

import org.jspecify.annotations.NullMarked;
