// Package accounts is the model of users, roles and grants: what a statement like GRANT changes,
// which account a client logs in to, what it may do, and how SHOW GRANTS prints it. The rules are
// MariaDB 10.11's; the tables in testdata and test/dialect/testdata/acct_* were recorded from it.
//
// A Set is immutable once it is published: a change is made to a Clone. It is stored as JSON, in one
// object of the catalog.
package accounts
