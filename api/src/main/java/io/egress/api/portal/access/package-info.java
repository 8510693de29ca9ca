/** Access to the settings page of a workspace: links, sessions and the checks of each request. */
@NullMarked
package io.egress.api.portal.access;

import org.jspecify.annotations.NullMarked;
