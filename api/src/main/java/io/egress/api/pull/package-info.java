@NullMarked
package io.egress.api.pull;

import org.jspecify.annotations.NullMarked;
