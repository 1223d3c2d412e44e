// Package partition says in which partition of a table a row is. Rows are kept as those of any table: partitions are a rule, by which rows are refused
// that have none, and found that are asked for by PARTITION (...). Define makes a table's definition of what a statement says, Of compiles that.
package partition
