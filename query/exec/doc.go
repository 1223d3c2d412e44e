// Package exec runs plans: it reads rows, keeps those that are asked for, brings them into order, and changes them.
//
// # Foreign keys
//
// A keeper changes rows, and then asks what foreign keys say of each change. It goes through the table's indexes as InnoDB does (the primary
// key, then the others in the order in which a new table has them), and at each looks first at the foreign keys that refer to it, by their names,
// and then at the table's own. Rows of cascades are changed in the same way before the next row is looked for. So errors are the ones that MariaDB has, and
// cascades find what they find there; what InnoDB meets of a row whose change is half done is told from its images (step). All changes are
// in the log, cascades included, with the flag that tells replicas to neither check nor cascade.
//
// No row comes to refer to one that is not there, whatever others do at the same time. There are no locks on gaps; the row that is referred to is
// what transactions wait at:
//
//   - Who makes a row refer to another one (an INSERT, or an UPDATE of the columns) locks that one shared, and has to find it then. He keeps
//     the lock until his commit has its place in the log.
//   - Who takes a key away (a DELETE, or an UPDATE of it) locks its row exclusively, and only then looks for rows that refer to it, among
//     all that have their place in the log.
//
// One of both gets the lock first. If it is who refers, the other one looks when that row has its place in the log or is gone: he finds it, or
// does not need to. If it is who takes the key away, the other one finds no row with the key any more, unless that was rolled back. A new row that
// nobody has found therefore has not yet got the lock that it needs. A row that ceases to refer, in a transaction that may be rolled back, is
// still there for others, and locked. Of several rows with the same key it is enough that one is locked: who takes that one away sees the row
// that refers to it.
//
// The fallback does the same with exclusive locks on both sides, so that its statements and these may meet. ALTER TABLE and CREATE TABLE wait for
// those who have changed rows of a parent, since these have not known of the foreign key; who comes after them knows of it, as a statement
// compares the foreign keys that it was bound to with those of the catalog when it has its metadata locks.
package exec
