@NullMarked
package io.egress.api.intake;

import org.jspecify.annotations.NullMarked;
