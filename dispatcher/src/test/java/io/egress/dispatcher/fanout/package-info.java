@NullMarked
package io.egress.dispatcher.fanout;

import org.jspecify.annotations.NullMarked;
