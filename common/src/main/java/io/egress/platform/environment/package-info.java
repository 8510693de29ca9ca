/** How settings are read from the environment, and what is said of those that cannot be used. */
@NullMarked
package io.egress.platform.environment;

import org.jspecify.annotations.NullMarked;
