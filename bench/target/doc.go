// Package target starts the servers that `duramen bench run` measures, and asks them
// what they are and what they have counted.
//
// A server is a program (Spec) with a profile (package profiles): a Contender. Each
// contender gets a data directory, a free port on 127.0.0.1, a unix socket in a directory with a
// short path, and an option file of its own that has all of this in it. It is ended by its
// process id, and dies with this process in any case (package child).
//
// A server that runs already is named by a data source name (a DSN of
// github.com/go-sql-driver/mysql). It is neither started nor ended, keeps its options, and gets a
// database Database, which must not be there before and is dropped in the end. What /proc tells is
// known of it if it is on this machine: it says where its pid file is.
package target
