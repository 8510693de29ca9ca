/** The data that the templates of the settings page show. */
@NullMarked
package io.egress.api.portal.view;

import org.jspecify.annotations.NullMarked;
