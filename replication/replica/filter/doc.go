// Package filter decides which statements and tables a replica takes, by MariaDB's rules: replicate_do_db, replicate_ignore_db, replicate_do_table,
// replicate_ignore_table, replicate_wild_do_table, replicate_wild_ignore_table and replicate_rewrite_db.
//
// # In which order
//
//  1. Names of databases are rewritten first (Rewritten): the default database of a statement, and the database of a table map. Names within a statement
//     are not, nor is the database that CREATE, DROP and ALTER DATABASE name.
//  2. A statement is taken or not by its default database (Statement): if do_db has any, by these alone, else by ignore_db. So one without a default
//     database is never taken beside do_db. CREATE, DROP and ALTER DATABASE go by the database that they name (DatabaseStatement).
//  3. Then by the tables that it changes (Tables), in the order of the statement: the first table that any rule matches decides. Rules for tables are asked in
//     the order do_table, ignore_table, wild_do_table, wild_ignore_table.
//  4. Row events are taken or not by the table of their table map, by both kinds of rules (Rows).
//  5. BEGIN, COMMIT, ROLLBACK, SAVEPOINT and XA statements are always taken; nobody asks here.
//
// Databases compare letter by letter. Rules for tables compare "database.table" whatever the case of its letters, wherever the dot of the rule is; in those with
// wildcards % is any text, _ any character, and a backslash takes away the meaning of what follows.
package filter
