@NullMarked
package io.egress.standalone.bench;

import org.jspecify.annotations.NullMarked;
