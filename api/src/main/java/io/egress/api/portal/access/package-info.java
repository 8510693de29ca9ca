/** Who may open the settings page of a workspace: links, sessions, and what guards each request. */
@NullMarked
package io.egress.api.portal.access;

import org.jspecify.annotations.NullMarked;
