// Package alter runs ALTER TABLE, CREATE INDEX and DROP INDEX. The definition that comes of the clauses is worked out first, from the old
// one and the statement; go-mysql-server then runs the clauses one by one, in an order that it gets right; and what came of it is compared
// with what was meant, before anything is logged.
package alter
