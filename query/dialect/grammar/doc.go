// Package grammar reads MariaDB's language, that of release 10.11, into trees.
//
// Statements are read by recursive descent, expressions by how tightly operators bind. As the server's own parser does, it fails at
// the first token that no statement can have there, so that an error names the same place: it looks ahead where the
// language needs that, and never goes back. How deeply a text may nest is bounded.
package grammar
