/** A fleet of real processes, faults from a seed, and a checker that knows what was promised. */
@NullMarked
package io.egress.bench.torture;

import org.jspecify.annotations.NullMarked;
