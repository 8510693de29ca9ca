@NullMarked
package io.egress.api.admin.endpoints;

import org.jspecify.annotations.NullMarked;
