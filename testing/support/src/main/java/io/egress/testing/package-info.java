/** Fixtures of tests and tools: servers they share, proxies, certificates, things that fail. */
@NullMarked
package io.egress.testing;

import org.jspecify.annotations.NullMarked;
