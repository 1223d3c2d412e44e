package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/status"
)

// Mark says what a client gives for a parameter of a set, by the number that the protocol has for it.
type Mark byte

// The marks.
const (
	MarkValue   Mark = iota
	MarkNull         // no value follows
	MarkDefault      // DEFAULT, where a column is given a value
	MarkIgnore       // the column stays as it is; for a new row that is DEFAULT
)

// Sets yields the sets of parameters of COM_STMT_BULK_EXECUTE one after the other, and io.EOF at the end. The slices are valid until
// the next call.
type Sets func() (values []result.Value, marks []Mark, err error)

// ExecuteBulk runs a prepared statement with many sets of parameters. As in MariaDB, an INSERT or REPLACE is one
// statement with the rows of all sets, an UPDATE or DELETE runs with one set after the other, each on its own: what was changed before an error
// stays, unless a transaction is rolled back. Other statements are refused.
func (s *Session) ExecuteBulk(ctx context.Context, stmt *Stmt, sets Sets, sink result.Sink) error {
	switch first := dialect.Tokens(stmt.text, stmt.mode, 1); {
	case len(first) == 1 && (first[0].Is("UPDATE") || first[0].Is("DELETE")):
		return s.executeEach(ctx, stmt, sets, sink)
	case len(first) == 1 && (first[0].Is("INSERT") || first[0].Is("REPLACE")):
		return s.bulk(ctx, stmt, func(run context.Context) error { return s.executeRows(run, stmt, sets, s.sinkFor(sink)) })
	}
	return s.bulk(ctx, stmt, func(context.Context) error { return mysqlerr.New(mysqlerr.UnsupportedPS) })
}

// bulk is what is around one statement.
func (s *Session) bulk(ctx context.Context, stmt *Stmt, do func(context.Context) error) error {
	run := s.Begin(ctx, stmt.text)
	defer s.End()
	return s.toResults(s.sql.MapError(run, s.sql.Protect(func() error { return do(run) })))
}

// errDefaultParam is MariaDB's for a mark where no column is given a value.
func errDefaultParam() error {
	return &mysqlerr.Error{Number: 4032, State: "HY000", Message: "Default/ignore value is not supported for such parameter usage"}
}

// executeRows runs an INSERT or REPLACE with the rows of all sets.
func (s *Session) executeRows(ctx context.Context, stmt *Stmt, sets Sets, sink result.Sink) error {
	list, ok := rowsOf(stmt.text, stmt.mode)
	if !ok {
		if list.set {
			return mysqlerr.New(mysqlerr.NotSupportedYet, "INSERT ... SET with several sets of parameters")
		}
		return mysqlerr.New(mysqlerr.UnsupportedPS)
	}
	var kept int64
	defer func() { _ = s.KeepMemory(-kept) }() // fewer are never refused
	var params []result.Value
	text := []byte(stmt.text[:list.start])
	for n := 0; ; n++ {
		values, marks, err := sets()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if n > 0 && (list.before > 0 || list.after > 0) {
			return mysqlerr.New(mysqlerr.NotSupportedYet, "parameters outside of VALUES with several sets of parameters")
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		size := int64(list.end-list.start) + int64(len(values))*(valueBytes+defaultBytes)
		if err := s.KeepMemory(size); err != nil {
			return err
		}
		kept += size
		if n > 0 {
			text = append(text, ',')
		}
		if text, params, err = list.row(text, params, stmt.text, values, marks); err != nil {
			return err
		}
	}
	text = append(text, stmt.text[list.end:]...)
	defer s.readAs(stmt.mode)()
	return executeMany(ctx, s, string(text), params, sink)
}

// valueBytes is what a value takes in memory, defaultBytes the word DEFAULT in the text.
const (
	valueBytes   = 48
	defaultBytes = 8
)

// executeMany runs a text with as many parameters as there are.
func executeMany(ctx context.Context, s *Session, text string, params []result.Value, sink result.Sink) error {
	s.manyHolders = true
	stmt, err := s.prepare(ctx, text)
	s.manyHolders = false
	if err != nil {
		return err
	}
	defer s.CloseStmt(stmt)
	return s.executeStmt(ctx, stmt, params, sink)
}

// tooManyHolders reports whether a statement has more placeholders than the protocol can count; sets of parameters are not counted by it.
func tooManyHolders(s *Session, n int) bool { return n > placeholdersMost && !s.manyHolders }

// executeEach runs an UPDATE or DELETE with one set after the other.
func (s *Session) executeEach(ctx context.Context, stmt *Stmt, sets Sets, sink result.Sink) error {
	sum := &summingSink{sink: sink}
	var warnings []session.Warning
	for {
		values, marks, err := sets()
		if errors.Is(err, io.EOF) {
			break
		}
		s.Warnings.Clear()
		switch {
		case err != nil:
			err = s.bulk(ctx, stmt, func(context.Context) error { return err })
		case marked(marks):
			err = s.bulk(ctx, stmt, func(run context.Context) error { return s.executeMarked(run, stmt, values, marks, s.sinkFor(sum)) })
		default:
			err = s.ExecuteStmt(ctx, stmt, values, sum)
		}
		warnings = append(warnings, s.Warnings.All()...)
		if err != nil || ctx.Err() != nil {
			s.keepWarnings(warnings)
			if err == nil {
				err = context.Cause(ctx)
			}
			return err
		}
		if most := s.Vars.Uint("max_error_count"); uint64(len(warnings)) > most {
			warnings = warnings[:most]
		}
	}
	s.keepWarnings(warnings)
	return sum.end()
}

func (s *Session) keepWarnings(all []session.Warning) {
	s.Warnings.Clear()
	for _, w := range all {
		s.Warn(w.Level, w.Number, w.Message)
	}
}

// marked reports whether one of the marks is more than a value or NULL.
func marked(marks []Mark) bool {
	for _, m := range marks {
		if m >= MarkDefault {
			return true
		}
	}
	return false
}

// executeMarked runs an UPDATE that gives columns their defaults or leaves them as they are.
func (s *Session) executeMarked(ctx context.Context, stmt *Stmt, values []result.Value, marks []Mark, sink result.Sink) error {
	text, params, err := assignMarks(stmt.text, stmt.mode, values, marks)
	if err != nil {
		return err
	}
	s.engine.Status.Command(status.StmtExecute)
	defer s.readAs(stmt.mode)()
	return executeMany(ctx, s, text, params, sink)
}

// summingSink makes one answer of those of several runs of a statement.
type summingSink struct {
	sink             result.Sink
	rows             bool // they answer with rows
	ok               result.OK
	st               result.Status
	matched, changed uint64
	infos            bool
}

// Columns implements result.Sink.
func (s *summingSink) Columns(cols []result.Column) error {
	if s.rows {
		return nil
	}
	s.rows = true
	return s.sink.Columns(cols)
}

// Row implements result.Sink.
func (s *summingSink) Row(r result.Row) error { return s.sink.Row(r) }

// EndRows implements result.Sink.
func (s *summingSink) EndRows(st result.Status) error {
	s.st = result.Status{Flags: st.Flags, Warnings: s.st.Warnings + st.Warnings}
	return nil
}

// OK implements result.Sink.
func (s *summingSink) OK(ok result.OK) error {
	var matched, changed, warnings uint64
	if _, err := fmt.Sscanf(ok.Info, "Rows matched: %d  Changed: %d  Warnings: %d", &matched, &changed, &warnings); err == nil {
		s.infos = true
		s.matched, s.changed = s.matched+matched, s.changed+changed
	}
	ok.AffectedRows += s.ok.AffectedRows
	ok.Warnings += s.ok.Warnings
	s.ok = ok
	return nil
}

// end answers.
func (s *summingSink) end() error {
	if s.rows {
		return s.sink.EndRows(s.st)
	}
	if s.infos {
		s.ok.Info = fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: %d", s.matched, s.changed, s.ok.Warnings)
	}
	return s.sink.OK(s.ok)
}

// rowList is where a statement has the rows of VALUES.
type rowList struct {
	start, end    int
	before, after int      // placeholders that stand elsewhere
	holders       []holder // those in it
	set           bool     // it has SET instead
}

// holder is a placeholder.
type holder struct {
	at    int
	whole bool // it is all of a value
}

// row appends the list once more to a text, and the values that its placeholders take.
func (l *rowList) row(text []byte, params []result.Value, sql string, values []result.Value, marks []Mark) ([]byte, []result.Value, error) {
	from := l.start
	for i, v := range values {
		in := i - l.before
		if marks[i] < MarkDefault {
			params = append(params, v)
			continue
		}
		if in < 0 || in >= len(l.holders) || !l.holders[in].whole {
			return nil, nil, errDefaultParam()
		}
		h := l.holders[in]
		text = append(append(text, sql[from:h.at]...), "DEFAULT"...)
		from = h.at + 1
	}
	return append(text, sql[from:l.end]...), params, nil
}

// rowsOf finds the rows of an INSERT or REPLACE.
func rowsOf(sql string, mode dialect.Mode) (l rowList, ok bool) {
	depth := 0
	var before, last dialect.Token
	s := dialect.Scanner{SQL: sql, Mode: mode}
	inList := false
	for {
		t, more := s.Next()
		if !more {
			break
		}
		holds := t.Kind == dialect.Punct && t.Text == "?"
		switch {
		case holds && inList:
			l.holders = append(l.holders, holder{at: t.Start, whole: depth == 1 && (last.Is("(") || last.Is(","))})
		case holds && l.end > 0:
			l.after++
		case holds:
			l.before++
		case t.Is("("):
			if depth == 0 && l.end == 0 && !inList && (last.Is("VALUES") || last.Is("VALUE")) && !isName(before) {
				inList, l.start = true, t.Start
			}
			depth++
		case t.Is(")"):
			depth--
			if inList && depth == 0 {
				l.end = t.End
			}
		case depth == 0 && inList && !t.Is(","):
			inList = false
		case depth == 0 && l.end == 0 && t.Is("SET"):
			l.set = true
		case depth == 0 && l.end == 0 && (t.Is("SELECT") || t.Is("WITH")):
			return l, false // VALUES would be a part of the query
		}
		// A placeholder is all of its value if that ends behind it.
		if n := len(l.holders); n > 0 && last.Kind == dialect.Punct && last.Text == "?" && last.Start == l.holders[n-1].at && !t.Is(",") && !t.Is(")") {
			l.holders[n-1].whole = false
		}
		before, last = last, t
	}
	return l, l.end > 0
}

// isName reports whether what follows a word is the name of a table or column rather than a keyword.
func isName(before dialect.Token) bool {
	for _, word := range []string{"INTO", "INSERT", "REPLACE", "IGNORE", "LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "."} {
		if before.Is(word) {
			return true
		}
	}
	return false
}

// assignMarks writes DEFAULT, or the column itself, in the places of an UPDATE's placeholders that are marked so.
func assignMarks(sql string, mode dialect.Mode, values []result.Value, marks []Mark) (string, []result.Value, error) {
	var params []result.Value
	var out strings.Builder
	s := dialect.Scanner{SQL: sql, Mode: mode}
	var tokens []dialect.Token
	for {
		t, more := s.Next()
		if !more {
			break
		}
		tokens = append(tokens, t)
	}
	n, from, depth, setting := 0, 0, 0, false
	for i, t := range tokens {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && (t.Is("SET")):
			setting = true
		case depth == 0 && (t.Is("WHERE") || t.Is("ORDER") || t.Is("LIMIT")):
			setting = false
		}
		if t.Kind != dialect.Punct || t.Text != "?" {
			continue
		}
		mark := marks[n]
		if mark < MarkDefault {
			params = append(params, values[n])
			n++
			continue
		}
		n++
		name := columnBefore(tokens[:i])
		if !setting || depth != 0 || name < 0 || (i+1 < len(tokens) && !tokens[i+1].Is(",") && !tokens[i+1].Is("WHERE") && !tokens[i+1].Is("ORDER") && !tokens[i+1].Is("LIMIT")) {
			return "", nil, errDefaultParam()
		}
		out.WriteString(sql[from:t.Start])
		if mark == MarkDefault {
			out.WriteString("DEFAULT")
		} else {
			out.WriteString(sql[tokens[name].Start:tokens[i-2].End])
		}
		from = t.End
	}
	out.WriteString(sql[from:])
	return out.String(), params, nil
}

// columnBefore is where the name of the column begins that "=" at the end of the tokens gives a value; -1 if there is none.
func columnBefore(tokens []dialect.Token) int {
	i := len(tokens) - 2
	if i < 0 || !tokens[i+1].Is("=") || !tokens[i].IsName() {
		return -1
	}
	for i >= 2 && tokens[i-1].Is(".") && tokens[i-2].IsName() {
		i -= 2
	}
	if i < 1 || (!tokens[i-1].Is(",") && !tokens[i-1].Is("SET")) {
		return -1
	}
	return i
}
