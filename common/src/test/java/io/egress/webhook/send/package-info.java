@NullMarked
package io.egress.webhook.send;

import org.jspecify.annotations.NullMarked;
