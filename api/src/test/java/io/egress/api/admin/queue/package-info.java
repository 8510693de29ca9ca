@NullMarked
package io.egress.api.admin.queue;

import org.jspecify.annotations.NullMarked;
