// Package text is the functions of SQL over strings: those called by name (Functions), and those with a syntax of their own.
//
// A string function is nullable in strict mode, whatever its arguments are: that is how MariaDB describes results that may turn out to be
// ill-formed. Lengths of results are those that MariaDB announces, its mistakes included (SUBSTRING counts bytes as characters).
package text
