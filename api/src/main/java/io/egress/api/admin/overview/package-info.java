/** All workspaces at a glance, with the health of their endpoints. */
@NullMarked
package io.egress.api.admin.overview;

import org.jspecify.annotations.NullMarked;
