@NullMarked
package io.egress.webhook.endpoint;

import org.jspecify.annotations.NullMarked;
