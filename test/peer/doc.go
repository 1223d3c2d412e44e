// Package peer starts the servers that the acceptance tests talk to: Duramen
// itself and, beside it, a real MariaDB 10.11 or a MySQL. All are processes of their own
// on a free port in a directory of the test, found ready by connecting to them
// and ended by their process id.
//
// The same test code drives either kind, so a test can first be shown to hold
// on MariaDB. DURAMEN_TEST_PEER=mariadb makes Start give a MariaDB server where
// a test asks for the server under test.
//
// Environment:
//
//	DURAMEN_BIN            the server binary; built from this repository if unset
//	DURAMEN_TEST_SCALE     "full" runs the sizes the acceptance list names
//	DURAMEN_REQUIRE_PEERS  "1" turns "MariaDB is not installed" into a failure
//	DURAMEN_MYSQL          where test/install-mysql.sh has put a MySQL, if not in /usr/local/lib/duramen-mysql
//	DURAMEN_TEST_PEER      "mariadb" tests the tests
package peer
