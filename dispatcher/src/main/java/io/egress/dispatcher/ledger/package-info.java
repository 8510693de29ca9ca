@NullMarked
package io.egress.dispatcher.ledger;

import org.jspecify.annotations.NullMarked;
