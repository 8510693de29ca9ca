@NullMarked
package io.egress.api.background;

import org.jspecify.annotations.NullMarked;
