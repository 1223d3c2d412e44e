// Package compare makes go-mysql-server compare values as MariaDB does.
//
// go-mysql-server compares texts without padding them with spaces, members of ENUM by their numbers, and values of different types by conversions
// that depend on the plan: an index, a hash, a filter each have their own. So what is compared, sorted, grouped or looked up in a hash becomes a key:
// bytes that are equal, and ordered, as the values are in MariaDB. go-mysql-server then only compares bytes.
//
//   - Bound goes over a plan that was just bound. Operands whose types differ get keys there, which hides their columns from the planner: no index
//     serves them. Equality of texts stays as it is, so that indexes, whose entries are right, are found.
//   - Planned, the last rule of the analyzer, gives keys to what is left.
//
// What has no key, or where MariaDB's rules are not known, is refused with 1235. docs/refused.md has the list.
package compare
