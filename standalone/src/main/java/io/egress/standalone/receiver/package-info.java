@NullMarked
package io.egress.standalone.receiver;

import org.jspecify.annotations.NullMarked;
