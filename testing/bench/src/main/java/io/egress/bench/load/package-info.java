@NullMarked
package io.egress.bench.load;

import org.jspecify.annotations.NullMarked;
