@NullMarked
package io.egress.bench;

import org.jspecify.annotations.NullMarked;
