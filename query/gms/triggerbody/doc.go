// Package triggerbody runs the bodies of triggers. go-mysql-server runs them, too, but loses what SET NEW.x has made of the row when a later IF takes no
// branch that sets one, has statements read the row as it was before SET, and has no row in the condition of a loop.
//
// Here the row is handed from statement to statement. BEGIN, IF, CASE, loops, DECLARE, SET, cursors and SELECT ... INTO are run by this package; all other
// statements, and all expressions, are go-mysql-server's. They find the row in front of the rows of each table that they read, as go-mysql-server's
// analyzer has numbered the columns: see prepended.
package triggerbody
