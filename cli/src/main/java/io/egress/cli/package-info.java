/** Administration from a terminal, through the internal API. */
@NullMarked
package io.egress.cli;

import org.jspecify.annotations.NullMarked;
