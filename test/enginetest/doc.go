// Package enginetest runs go-mysql-server's own engine test-suite over our
// storage.
//
// The list of tests is that of go-mysql-server's memory_engine_test.go, without
// those that are about abilities of its memory backend alone (partitions, index
// drivers). Every test function runs in a process of its own, as a panic in one
// must not hide the results of the others; a function that panics is continued
// after the test that did it.
//
// testdata/known_failures names every failing test with its cause. The run
// fails when an unlisted test fails, and when a listed one passes, so that the
// list stays true. testdata/memory says how many tests of each function
// go-mysql-server's memory backend passes, which the percentage refers to.
//
// Environment:
//
//	DURAMEN_ENGINETEST=TestScripts,TestQueries   run these functions only
//	DURAMEN_ENGINETEST_BACKEND=memory            run the memory backend and print the counts
//	DURAMEN_ENGINETEST_UPDATE=1                  rewrite testdata from this run; causes are kept
package enginetest
