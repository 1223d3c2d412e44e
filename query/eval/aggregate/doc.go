// Package aggregate is the functions over the rows of a group: COUNT, SUM, GROUP_CONCAT and their like, as MariaDB 10.11 has them.
//
// Bind settles the type of a call and yields a Func. For each run of the statement Func.States makes the states of all groups, which are
// numbered from 0 by whoever forms them:
//
//	states := fn.States()
//	states.Grow(groups)          // before the first row of a new group; a group without rows has a result, too
//	states.Add(frame, group)     // for each row, with the frame at that row
//	v := states.Result(frame, group)
//
// Results are asked for in the order in which groups are shown, after all rows were added: GROUP_CONCAT counts rows across groups where it
// warns. Asking again gives the same. A result's text lives until the states are given up.
//
// Of several calls in one expression MariaDB adds a row to the last one first, which the order of conditions shows.
//
// In expressions the result is a node over Frame.Aggregates (Func.Node), which whoever shows a group sets before.
//
// Memory: Bytes is what the fixed part of the states takes; what grows with rows (DISTINCT, texts) is charged to Frame.Charge as it grows.
package aggregate
