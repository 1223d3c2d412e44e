// Package facts says of a statement, by its tree, what is to be known before it is bound to tables: its kind, the tables that it names and what
// it does with each of them, and which things that need care are in it.
//
// Names are taken as they are written. A table without a database is one of the session's, or a view, or a temporary table; that is not known
// here. Names of common table expressions are, where they can be seen, and are no tables. The bodies of stored programs and of compound
// statements are not looked at: their statements run one by one.
package facts
