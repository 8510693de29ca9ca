@NullMarked
package io.egress.api.sweep;

import org.jspecify.annotations.NullMarked;
