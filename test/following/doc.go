// Package following lets the server under test follow a real MariaDB 10.11, as CHANGE MASTER and START SLAVE of its replicas do, over
// mixed loads of drawn statements, columns of every type, and definitions, while each side is killed, and while both change their
// roles. In the end every table has to be equal row by row, and the position to be the primary's.
//
// Everything is drawn from a seed, which is printed: FOLLOWING_SEED repeats it. What the clients of a load draw is repeated then, not the order
// in which a primary commits it.
//
// With DURAMEN_TEST_PEER=mariadb the replica is a MariaDB, too: what is common to both passes there.
package following
