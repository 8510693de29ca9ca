/** Health checks of PostgreSQL and Kafka. */
@NullMarked
package io.egress.platform.backend;

import org.jspecify.annotations.NullMarked;
