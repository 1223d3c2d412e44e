// Package logged reads statements as a primary has logged them: which settings they have to run with (Settings), which tables and databases
// they are about, for filters (AboutOf), what makes of an error the one that the SQL thread of a replica stops with (Worded, Expectation), and
// which errors it does not stop for (SkipErrors).
package logged
