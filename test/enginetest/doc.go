// Package enginetest runs go-mysql-server's own engine test-suite through the
// server's sessions.
//
// Every statement of the suite goes through query.Session as that of a
// connection does: as text, or prepared with values. The session has a store on
// a file system in memory below it, and its results come back through a
// result.Sink, from which the values are read as a client would. So
// autocommit, running again, classification, locks, privileges, the mapping of
// errors and everything that is rewritten are part of what is tested. Only the
// tests of plans ask the analyzer itself.
//
// The suite is written for MySQL 8. Names that MariaDB has not (utf8mb4_0900_bin)
// are replaced in statements and expectations; errors are compared by their
// numbers, or by the text that go-mysql-server had for them.
//
// The list of tests is that of go-mysql-server's memory_engine_test.go; see tests
// in list_test.go for what is left out. Every test function runs in a process of
// its own, as a panic in one must not hide the results of the others; a function
// that panics is continued after the test that did it.
//
// testdata/known_failures names every failing test with its cause. The run
// fails when an unlisted test fails, when a listed one passes, and when a
// MariaDB answers otherwise than the list says, so that the list stays true. Its causes are:
//
//	MariaDB answers as we do   MySQL answers otherwise; a judge is asked in every run
//	refused (1235)             refused on purpose: what cannot be right
//	other plan                 the planner knows other numbers than with the memory backend
//	follows from a refused …   MariaDB answers as we do if it is not told what we refuse
//	…                          what the line says: something that MariaDB has not, or that is the server's own
//	open                       neither MySQL's answer nor MariaDB's: something to fix
//
// testdata/memory says how many tests of each function go-mysql-server's memory
// backend passes, which the percentage refers to.
//
// A judge is a real MariaDB that gets every statement beside the session, from a
// connection of the same user, from the same address, in the same database. The
// output of the functions (DURAMEN_ENGINETEST_OUTPUT) then has a line for each
// statement that says whether it gave the same answer: the rows, in their order
// where the statement orders them, names of columns, counts, how many warnings, or
// the number and the text of the error. The judge says that it is
// our version; numbers of connections, what is told about the build, and what
// the storage has measured are not compared. What we refuse with 1235 the judge
// is not told, so that both stay in one state: the statements after it can be
// judged, and a test that fails with MariaDB's answer then follows from the
// refused one. DURAMEN_ENGINETEST_UPDATE with a judge gives these causes to new
// failures and to open ones.
//
// Environment:
//
//	DURAMEN_ENGINETEST=TestScripts,TestQueries   run these functions only
//	DURAMEN_ENGINETEST_BACKEND=memory            run the memory backend and print the counts
//	DURAMEN_ENGINETEST_OUTPUT=directory          keep the output of each function
//	DURAMEN_ENGINETEST_JUDGE=1                   a real MariaDB has to be there as a judge (0: none; else: when it is installed)
//	DURAMEN_ENGINETEST_UPDATE=1                  rewrite testdata from this run; causes are kept
package enginetest
