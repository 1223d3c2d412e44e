// Package native runs statements with SQL of our own. What it does not understand completely it leaves to the fallback, before anything
// was done: Find says whose a statement is.
//
// So far: SELECT without tables and of one table; changes of one table.
package native
