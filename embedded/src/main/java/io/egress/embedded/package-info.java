/** A real PostgreSQL and a real Kafka broker, started from Maven artifacts on this machine. */
@NullMarked
package io.egress.embedded;

import org.jspecify.annotations.NullMarked;
