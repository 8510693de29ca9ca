@NullMarked
package io.egress.dispatcher.send;

import org.jspecify.annotations.NullMarked;
