// Package setop gives the columns of UNION, INTERSECT and EXCEPT the types that MariaDB gives them.
//
// go-mysql-server converts the columns of two queries at a time by rules of its own, and knows the type of what the first two yield when it comes to
// the third. In MariaDB all queries of a set operation settle the type of a column together, by the rules by which COALESCE does with its arguments; so
// it is asked of package operator, which has these. Each query's columns are converted to it, and what stands above the set operation learns of it.
package setop
