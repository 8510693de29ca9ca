@NullMarked
package io.egress.api.metrics;

import org.jspecify.annotations.NullMarked;
