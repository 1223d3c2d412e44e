package corpus

import (
	"slices"
	"strings"
)

// Statement is one text that a test sends to the server.
type Statement struct {
	Text    string
	Mode    string // the part of sql_mode that changes how a text is read, as a value for it
	Charset string // of the text
	File    string // in the directory of the tests
	Line    int
	// Errors are what the test expects, as it writes them: numbers, names and states.
	Errors []string
}

// Counts says what became of the commands that send texts. A command of a script that many include counts once.
type Counts struct {
	Scripts   int // files that were read
	Texts     int // sent as they are
	Variables int // left out: put together from variables
	Lost      int // left out: nobody knows under which sql_mode they run
}

// place is where a command stands.
type place struct {
	file string
	line int
}

// places are where commands stand, by what became of them.
type places struct{ texts, variables, lost map[place]bool }

func newPlaces() *places {
	return &places{texts: map[place]bool{}, variables: map[place]bool{}, lost: map[place]bool{}}
}

// state is all of a script's state that decides how an included script is read.
type state struct {
	file, delimiter, charset, texts string
	mode, global                    modes
	lost, globalLost, off           bool
}

// includesMax is how deeply scripts may include each other, as in mysqltest.
const includesMax = 16

// script walks through one test and all that it includes.
type script struct {
	tree   *Tree
	suite  string // directory of the suite
	places *places
	emit   func(Statement)
	// changes counts what may have changed the state or the connections, except for which of them is the current one.
	changes int
	// returned says that an included script has gone to a connection whose name nobody knows.
	returned bool

	global    *session
	sessions  map[string]*session
	current   *session
	delimiter string
	charset   string // in which mysqltest reads the script
	expected  []string
	depth     int // of blocks
	ended     bool
	off       bool // between disable_parsing and enable_parsing
}

// run walks through one file. by is how many files include it.
func (s *script) run(file string, by int) {
	text, ok := s.tree.read(file)
	if !ok || by > includesMax {
		return
	}
	r := newReader(text)
	r.escapes = func(quote byte) bool {
		return quote != '`' && s.current.mode&noBackslashEscapes == 0 && (quote != '"' || s.current.mode&ansiQuotes == 0)
	}
	for !s.ended {
		r.delimiter, r.wide = s.delimiter, wideOf(s.charset)
		c, ok := r.command()
		if !ok {
			return
		}
		if mark := c.heredoc(); mark != "" {
			if !c.dashes {
				r.upToLine()
			}
			r.upTo(mark)
			continue
		}
		if s.off && c.name != "enable_parsing" && c.name != "enable_testcase" {
			continue
		}
		s.command(c, file, by)
	}
}

// command does what one command does to the texts that follow, or gives its text.
func (s *script) command(c command, file string, by int) {
	switch c.name {
	case "", "query", "query_vertical", "query_horizontal", "send":
		s.statement(c, file, c.text)
	case "eval", "evalp", "send_eval":
		text, ok := unescape(c.text)
		if !ok {
			s.places.variables[place{file, c.line}] = true
			s.expected = nil
			return
		}
		s.statement(c, file, text)
	case "error":
		s.expected = strings.FieldsFunc(c.text, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
		if i := slices.IndexFunc(s.expected, func(e string) bool { return e[0] == '#' }); i >= 0 {
			s.expected = s.expected[:i]
		}
	case "delimiter":
		if c.text != "" {
			s.delimiter = c.text
			s.changes++
		}
	case "character_set":
		s.charset = strings.ToLower(strings.TrimSpace(c.text))
		s.changes++
	case "source":
		if name, ok := s.tree.resolve(strings.TrimSpace(c.text), file, s.suite); ok {
			s.include(name, by+1)
		}
	case "if", "while":
		s.depth++
	case "}", "end":
		s.depth--
	case "exit", "skip", "die":
		s.ended = s.depth <= 0
		s.changes++
	case "disable_parsing", "disable_testcase":
		s.off = true
		s.changes++
	case "enable_parsing", "enable_testcase":
		s.off = false
		s.changes++
	default:
		s.connections(c)
	}
}

// include walks through another script, unless that was done from the same state and changed nothing: some are included thousands of times.
func (s *script) include(file string, by int) {
	from := state{
		file: file, delimiter: s.delimiter, charset: s.charset, texts: s.current.charset, mode: s.current.mode, global: s.global.mode,
		lost: s.current.lost, globalLost: s.global.lost, off: s.off,
	}
	if s.tree.idle[from] {
		s.expected = nil
		return
	}
	changes, depth, current, returned := s.changes, s.depth, s.current, s.returned
	s.returned = false
	s.run(file, by)
	if s.returned { // to a connection whose name was kept in a variable: that on which the script began, in all likelihood
		s.current = current
	}
	s.returned = returned
	if s.changes == changes && s.depth == depth && s.current == current {
		s.tree.idle[from] = true
	}
}

// connections follows which connection sends the next text.
func (s *script) connections(c command) {
	switch c.name {
	case "exec", "execw", "reap", "system":
		s.expected = nil
	case "connect":
		s.connect(firstArgument(c.text))
		s.expected = nil
	case "connection":
		name := firstArgument(c.text)
		switch known := s.sessions[name]; {
		case strings.HasPrefix(name, "$"): // see include
			s.returned = true
		case known == nil: // made by a script whose name is in a variable
			s.connect(name)
		default:
			s.current = known
		}
	case "disconnect":
		delete(s.sessions, firstArgument(c.text))
		s.changes++
	case "change_user", "reset_connection":
		*s.current = *newSession(s.global)
		s.changes++
	}
}

func (s *script) connect(name string) {
	s.current = newSession(s.global)
	s.sessions[name] = s.current
	s.changes++
}

// firstArgument is what connect and connection call their connection.
func firstArgument(text string) string {
	text = strings.TrimLeft(text, "( \t\n")
	if end := strings.IndexAny(text, ",;) \t\n"); end >= 0 {
		text = text[:end]
	}
	return strings.ToLower(text)
}

// statement gives a text that goes to the server.
func (s *script) statement(c command, file, text string) {
	text = strings.TrimRight(text, " \t\r\n\v\f")
	if text == "" {
		return
	}
	expected := s.expected
	s.expected = nil
	if s.current.lost {
		s.places.lost[place{file, c.line}] = true
		s.follow(text) // it may set a mode that is known
		return
	}
	s.places.texts[place{file, c.line}] = true
	mode := s.current.mode.String()
	if inner, ok := innerText(text, s.current.mode); ok {
		// What is expected, is expected of the inner text.
		s.emit(Statement{Text: inner, Mode: mode, Charset: textCharset(inner, s.current.charset), File: file, Line: c.line, Errors: expected})
		expected = nil
	}
	s.emit(Statement{Text: text, Mode: mode, Charset: textCharset(text, s.current.charset), File: file, Line: c.line, Errors: expected})
	if len(expected) == 0 || slices.Contains(expected, "0") { // a SET that fails sets nothing
		s.follow(text)
	}
}

// innerText is the text that a statement has prepared, if it is one string.
func innerText(text string, mode modes) (inner string, ok bool) {
	var list []token
	if word := firstWord(text); word == "PREPARE" || word == "EXECUTE" {
		list = setTokens(text[len(word):], mode)
	}
	n := len(list)
	switch {
	case n == 3 && list[0].kind == nameToken && list[1] == (token{nameToken, "from"}): // PREPARE name FROM
	case n == 2 && list[0] == (token{nameToken, "immediate"}):
	default:
		return "", false
	}
	if list[n-1].kind != textToken {
		return "", false
	}
	inner = strings.TrimSpace(list[n-1].text)
	return inner, inner != ""
}

func (s *script) follow(text string) {
	if s.current.follow(text) {
		s.changes++
	}
}
