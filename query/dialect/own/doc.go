// Package own makes values of the statements that the server runs itself (SHOW, SET NAMES, GRANT, FLUSH, KILL, BEGIN ...) out of the trees
// that package grammar reads. What MariaDB has and the server does not is refused here, by its name.
package own
