@NullMarked
package io.egress.api.relay;

import org.jspecify.annotations.NullMarked;
