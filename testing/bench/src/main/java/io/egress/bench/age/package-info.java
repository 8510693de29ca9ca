/** Databases as months of life leave them behind. */
@NullMarked
package io.egress.bench.age;

import org.jspecify.annotations.NullMarked;
