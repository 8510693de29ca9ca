/** The settings page of a workspace: pages that the internal listener serves to browsers. */
@NullMarked
package io.egress.api.portal;

import org.jspecify.annotations.NullMarked;
