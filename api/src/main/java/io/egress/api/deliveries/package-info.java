/** Lists, shows and verifies deliveries. */
@NullMarked
package io.egress.api.deliveries;

import org.jspecify.annotations.NullMarked;
