package corpus

import (
	"strconv"
	"strings"
)

// modes are the parts of sql_mode that change how a text is read. The others do not change what the parser accepts.
type modes uint8

const (
	ansiQuotes modes = 1 << iota
	highNotPrecedence
	ignoreSpace
	mssql // names in brackets
	noBackslashEscapes
	oracle
	pipesAsConcat
)

// modeNames are in the order of the bits.
var modeNames = []string{"ANSI_QUOTES", "HIGH_NOT_PRECEDENCE", "IGNORE_SPACE", "MSSQL", "NO_BACKSLASH_ESCAPES", "ORACLE", "PIPES_AS_CONCAT"}

// likeOthers is what the modes named after other servers have in common.
const likeOthers = ansiQuotes | ignoreSpace | pipesAsConcat

// modesOf are the modes that a name of sql_mode stands for. A name that is not here stands for none that matters.
var modesOf = map[string]modes{
	"ANSI_QUOTES": ansiQuotes, "HIGH_NOT_PRECEDENCE": highNotPrecedence, "IGNORE_SPACE": ignoreSpace, "NO_BACKSLASH_ESCAPES": noBackslashEscapes,
	"PIPES_AS_CONCAT": pipesAsConcat, "ANSI": likeOthers, "DB2": likeOthers, "MAXDB": likeOthers, "MSSQL": likeOthers | mssql, "POSTGRESQL": likeOthers,
	"ORACLE": likeOthers | oracle, "MYSQL323": highNotPrecedence, "MYSQL40": highNotPrecedence,
}

// modeNumbers are the names by their bit, where sql_mode is given as a number.
var modeNumbers = map[uint]string{
	1: "PIPES_AS_CONCAT", 2: "ANSI_QUOTES", 3: "IGNORE_SPACE", 8: "POSTGRESQL", 9: "ORACLE", 10: "MSSQL", 11: "DB2", 12: "MAXDB",
	16: "MYSQL323", 17: "MYSQL40", 18: "ANSI", 20: "NO_BACKSLASH_ESCAPES", 29: "HIGH_NOT_PRECEDENCE",
}

// parseModes reads a value of sql_mode.
func parseModes(value string) modes {
	var m modes
	if n, err := strconv.ParseUint(value, 10, 64); err == nil {
		for bit, name := range modeNumbers {
			if n>>bit&1 == 1 {
				m |= modesOf[name]
			}
		}
		return m
	}
	for name := range strings.SplitSeq(value, ",") {
		m |= modesOf[strings.ToUpper(strings.TrimSpace(name))]
	}
	return m
}

// String is the value of sql_mode that sets just these modes.
func (m modes) String() string {
	var on []string
	for i, name := range modeNames {
		if m>>i&1 == 1 {
			on = append(on, name)
		}
	}
	return strings.Join(on, ",")
}
