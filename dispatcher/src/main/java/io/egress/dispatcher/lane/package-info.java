@NullMarked
package io.egress.dispatcher.lane;

import org.jspecify.annotations.NullMarked;
