/** Training runs, which make the AOT caches that spare a JVM its first minute's work. */
@NullMarked
package io.egress.standalone.train;

import org.jspecify.annotations.NullMarked;
