@NullMarked
package io.egress.platform.kafka;

import org.jspecify.annotations.NullMarked;
