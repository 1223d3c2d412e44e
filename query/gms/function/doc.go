// Package function has the SQL functions that MariaDB has and go-mysql-server lacks or does differently, as far as they need nothing
// of the server, and what bounds the others: results longer than max_allowed_packet are not made.
package function
