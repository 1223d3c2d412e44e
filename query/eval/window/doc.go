// Package window is the table of the functions over windows that MariaDB 10.11 has: how many arguments each takes, what its window may have, and the type
// of its result, which Bind settles.
//
// The functions that are only over windows have an entry that settles their type here:
//
//   - ROW_NUMBER, RANK, DENSE_RANK and NTILE yield a BIGINT, PERCENT_RANK and CUME_DIST a DOUBLE of ten digits after the point;
//   - LAG, LEAD, FIRST_VALUE, LAST_VALUE and NTH_VALUE yield a value of a row, of the type that MIN and MAX of it have;
//   - MEDIAN and PERCENTILE_CONT yield a DOUBLE, of numbers and times only, PERCENTILE_DISC a value that keeps its type.
//
// The aggregate functions have the same types over windows as over groups: package aggregate settles them.
//
// The package knows nothing of values: who computes them is go-mysql-server, so far (package query/gms/computed).
package window
