/** Mutated requests for both listeners, mutated answers for the dispatcher, from a seed. */
@NullMarked
package io.egress.bench.fuzz;

import org.jspecify.annotations.NullMarked;
