/** What is said while something that the service needs is away. */
@NullMarked
package io.egress.outage;

import org.jspecify.annotations.NullMarked;
