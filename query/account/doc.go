// Package account is what a server does with accounts: it runs the statements about them (Run), finds who logs in and counts what
// accounts use (Store), knows who a session is (Identity), reads definers, and makes the rows of the tables that show accounts.
//
// The statements are values of package dialect; what they change is an accounts.Set, in the transaction that a Session makes around the
// change. Nothing here knows an SQL engine.
//
// One change at a time: Store.Change holds the store from the copy of the set to the end of the commit. The counters of Store.Use have a
// lock of their own, under which nothing waits.
package account
