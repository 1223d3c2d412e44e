// Package logpos holds the one type for a place in the binary log. The log
// gives such places out, engines store them beside their rows, commits carry
// them, recovery compares them, and operators read and write them; all mean the
// same by them.
//
// GTIDs (package gtid) name transactions on every server that has them; a Pos
// names bytes in the files of one server.
package logpos
