@NullMarked
package io.egress.endpoint;

import org.jspecify.annotations.NullMarked;
