/** Seeded fuzzing: mutated requests for both listeners, mutated responses for the dispatcher. */
@NullMarked
package io.egress.bench.fuzz;

import org.jspecify.annotations.NullMarked;
