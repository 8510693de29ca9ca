/** Shows and exports the audit log. */
@NullMarked
package io.egress.api.admin.audit;

import org.jspecify.annotations.NullMarked;
