/** Lists, shows and verifies deliveries. */
@NullMarked
package io.egress.api.admin.deliveries;

import org.jspecify.annotations.NullMarked;
