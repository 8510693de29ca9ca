@NullMarked
package io.egress.api.queue;

import org.jspecify.annotations.NullMarked;
