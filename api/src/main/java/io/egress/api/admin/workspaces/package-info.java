/** Shared by the calls on things that belong to a workspace. */
@NullMarked
package io.egress.api.admin.workspaces;

import org.jspecify.annotations.NullMarked;
