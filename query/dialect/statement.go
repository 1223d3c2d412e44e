package dialect

// Statement is a statement that the server runs itself, as a value: what was said, and nothing of how it is done. It is immutable,
// compares by what it says, and can be printed, logged, authorised and tested without a server.
type Statement interface {
	// String prints the statement, in MariaDB's words, so that parsing the text yields the same value.
	String() string
}

// parse reads what follows a statement's first word. It yields nil without an error for a statement that is not among ours.
type parse func(p *Parser) (Statement, error)

// statements are the words that our statements begin with.
var statements map[string]parse

func init() {
	statements = map[string]parse{
		"SHUTDOWN": parseShutdown,
		"SHOW":     either(about(parseShowAccount), parseShow), "DESC": parseDescribe, "DESCRIBE": parseDescribe,
		"GRANT": about(parseGrant), "REVOKE": about(parseRevoke), "RENAME": about(parseRenameAccount),
		"FLUSH": parseFlush, "PURGE": parsePurge, "RESET": parseReset, "KILL": parseKill,
		"BEGIN": parseBegin, "START": parseStart, "COMMIT": parseCommit, "ROLLBACK": parseRollback,
		"SAVEPOINT": parseSavepoint, "RELEASE": parseRelease,
		"SET":  either(about(parseSetAccount), parseSet),
		"LOCK": parseLock, "UNLOCK": parseUnlock,
		"CHECK": parseCheck, "ANALYZE": parseAnalyze, "OPTIMIZE": parseOptimize, "REPAIR": parseRepair, "CHECKSUM": parseChecksum,
		"PREPARE": parsePrepare, "EXECUTE": parseExecute, "DEALLOCATE": parseDeallocate, "DO": parseDo,
		"CREATE": either(about(parseCreateAccount), parseCreateX), "ALTER": either(about(parseAlterAccount), parseAlter), "DROP": either(about(parseDropAccount), parseDrop),
		"XA": parseXA, "HELP": parseHelp, "BACKUP": parseBackup, "BINLOG": parseBinlog, "INSTALL": parseInstall, "UNINSTALL": parseUninstall,
		"HANDLER": parseHandler, "CHANGE": parseChange, "STOP": parseStop,
	}
}

// either tries one parser, and if the statement is none of its own the other one.
func either(first, second parse) parse {
	return func(p *Parser) (Statement, error) {
		at := p.Pos
		if st, err := first(p); st != nil || err != nil {
			return st, err
		}
		p.Pos = at
		return second(p)
	}
}

// longestWord is how long a word gets that a statement of ours begins with.
const longestWord = len("DEALLOCATE")

// Begins reports whether a statement of ours may begin with a word.
func Begins(word string) bool { return parserOf(word) != nil }

func parserOf(word string) parse {
	if len(word) > longestWord {
		return nil
	}
	var buf [longestWord]byte
	n := copy(buf[:], word)
	for i := range n {
		if c := buf[i]; c >= 'a' && c <= 'z' {
			buf[i] = c - 32
		}
	}
	return statements[string(buf[:n])]
}

// ParseStatement parses one statement. It yields nil without an error for one that is not among those that the server runs itself; errors
// are those of MariaDB's client protocol (1064 with the place, or what refuses the statement).
func ParseStatement(sql string, mode Mode) (Statement, error) {
	p := NewParser(sql, mode)
	t := p.Next()
	if t.Kind != Word {
		return nil, nil
	}
	parse := parserOf(t.Text)
	if parse == nil {
		return nil, nil
	}
	st, err := parse(p)
	if err == nil && st != nil {
		err = p.closed(mode)
	}
	if err != nil {
		return nil, err
	}
	return st, nil
}
