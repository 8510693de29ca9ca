/** The settings page of a workspace, served to browsers by the internal listener. */
@NullMarked
package io.egress.api.portal;

import org.jspecify.annotations.NullMarked;
