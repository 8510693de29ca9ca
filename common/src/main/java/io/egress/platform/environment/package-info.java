/** Reads settings from the environment and reports invalid ones. */
@NullMarked
package io.egress.platform.environment;

import org.jspecify.annotations.NullMarked;
