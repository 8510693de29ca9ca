/** What became of deliveries, for people. */
@NullMarked
package io.egress.api.deliveries;

import org.jspecify.annotations.NullMarked;
