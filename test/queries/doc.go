// Package queries holds SELECTs of several tables against a real MariaDB: joins, subqueries, set operations, windows, derived tables, views.
//
// TestDrawn draws two tables with their rows and statements about them, and asks both servers. Each answer of ours is MariaDB's, or a refusal (1235).
// See -queries.rounds, -queries.count and -queries.seed.
package queries
