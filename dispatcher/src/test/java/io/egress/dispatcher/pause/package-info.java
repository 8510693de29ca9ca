@NullMarked
package io.egress.dispatcher.pause;

import org.jspecify.annotations.NullMarked;
