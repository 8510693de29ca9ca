@NullMarked
package io.egress.dispatcher.supervise;

import org.jspecify.annotations.NullMarked;
