@NullMarked
package io.egress.standalone;

import org.jspecify.annotations.NullMarked;
