/** What api and dispatcher both know of deliveries. */
@NullMarked
package io.egress.delivery;

import org.jspecify.annotations.NullMarked;
