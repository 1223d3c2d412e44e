// Package viewtext makes the text of a view as it is kept: what CREATE VIEW means when it runs, whatever becomes of the tables later.
//
// A * is the columns that there are, an expression without a name has the one that MariaDB gives it, and b'1' is 0x01, as MariaDB writes it. All else
// stands as it was written.
package viewtext
