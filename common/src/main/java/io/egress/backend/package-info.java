/** What the service stands on, asked whether it is there. */
@NullMarked
package io.egress.backend;

import org.jspecify.annotations.NullMarked;
