@NullMarked
package io.egress.dispatcher;

import org.jspecify.annotations.NullMarked;
