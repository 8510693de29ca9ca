/** Health checks of PostgreSQL and Kafka. */
@NullMarked
package io.egress.backend;

import org.jspecify.annotations.NullMarked;
