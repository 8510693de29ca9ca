/** A fleet of real processes, seeded faults, and a checker of the service's guarantees. */
@NullMarked
package io.egress.bench.torture;

import org.jspecify.annotations.NullMarked;
