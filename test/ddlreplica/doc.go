// Package ddlreplica compares definitions and rows after statements that change definitions: on
// Duramen and on a MariaDB that runs the same statements (TestPairs: all pairs of clauses of ALTER
// TABLE), and on Duramen and a MariaDB that follows it (TestBattery). Rows are logged by the places
// of their columns and definitions as text, so a column in another place makes a replica wrong
// without an error.
//
// A run at full scale draws its seeds, others take 1; a failure names its seed, and DURAMEN_DDL_SEED runs it again.
package ddlreplica
