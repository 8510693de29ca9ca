@NullMarked
package io.egress.kafka;

import org.jspecify.annotations.NullMarked;
