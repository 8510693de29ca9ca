@NullMarked
package io.egress.api.keys;

import org.jspecify.annotations.NullMarked;
