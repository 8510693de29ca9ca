@NullMarked
package io.egress.dispatcher.heads;

import org.jspecify.annotations.NullMarked;
