package statements

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/require"

	own "github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/test/peer"
)

// session is one of a server.
type session struct{ *client.Conn }

func dial(t *testing.T, addr string) session {
	t.Helper()
	conn, err := client.Connect(addr, "root", "", "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return session{conn}
}

// maria is a session of a real server, which knows the zone of which drawn sessions are. It has a binary log of rows, as ours: then it computes all
// columns that are computed when a row is read, too, when one is written.
func maria(t *testing.T) session {
	t.Helper()
	at := *addr
	if at == "" {
		at = peer.StartMariaDB(t, peer.Options{Binlog: true, Args: []string{"--innodb-flush-log-at-trx-commit=0"}}).Socket
	}
	s := dial(t, at)
	for _, st := range zoneTables() {
		s.must(t, st)
	}
	return s
}

// duramen is a session of a server of ours, in which the fallback answers no SELECT.
func duramen(t *testing.T) session {
	t.Helper()
	s := dial(t, peer.Start(t, peer.Options{Kind: peer.Duramen}).Addr())
	s.must(t, "SET native_sql=ONLY")
	return s
}

func (s session) must(t *testing.T, statement string) {
	t.Helper()
	_, err := s.Execute(statement)
	require.NoError(t, err, statement)
}

// answer is what a server says of a statement.
type answer struct {
	asked    string   // the statement
	failure  string   // number/state message; nothing else is set then
	columns  []string // one for each column of the result
	flags    []uint16 // of columns
	rows     []string
	warnings []string // sorted
	count    uint16   // of warnings, as the end of the result says
}

// ask runs a statement; with arguments it is prepared.
func (s session) ask(t *testing.T, statement string, args ...any) (a answer) {
	t.Helper()
	a.asked = statement
	r, err := s.Execute(statement, args...)
	if err != nil {
		var e *mysql.MyError
		require.ErrorAs(t, err, &e, statement)
		a.failure = fmt.Sprintf("%d/%s %s", e.Code, e.State, e.Message)
		return a
	}
	defer r.Close()
	a.count = r.Warnings
	if len(r.Fields) == 0 {
		a.rows = append(a.rows, fmt.Sprintf("affected %d, insert id %d", r.AffectedRows, r.InsertId))
	}
	for _, f := range r.Fields {
		a.columns = append(a.columns, fmt.Sprintf("%s.%s.%s(%s.%s) %d(%d,%d) cs%d",
			f.Schema, f.Table, f.Name, f.OrgTable, f.OrgName, f.Type, f.ColumnLength, f.Decimal, f.Charset))
		a.flags = append(a.flags, f.Flag)
	}
	for i := range r.RowDatas {
		row := []byte(r.RowDatas[i])
		if args != nil {
			a.rows = append(a.rows, fmt.Sprintf("%q", row))
			continue
		}
		text, err := textRow(row)
		require.NoError(t, err, statement)
		a.rows = append(a.rows, text)
	}
	if a.warnings, err = s.warnings(); err != nil {
		require.NoError(t, err, statement)
	}
	return a
}

// textRow shows the values of a row of the text protocol.
func textRow(row []byte) (string, error) {
	var values []string
	for len(row) > 0 {
		value, null, n, err := mysql.LengthEncodedString(row)
		if err != nil {
			return "", err
		}
		row = row[n:]
		if null {
			values = append(values, "NULL")
		} else {
			values = append(values, fmt.Sprintf("%q", value))
		}
	}
	return strings.Join(values, " "), nil
}

func (s session) warnings() ([]string, error) {
	r, err := s.Execute("SHOW WARNINGS")
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out []string
	for i := range r.Values {
		level, err1 := r.GetString(i, 0)
		number, err2 := r.GetInt(i, 1)
		message, err3 := r.GetString(i, 2)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprintf("%s %d %s", level, number, message))
	}
	slices.Sort(out)
	return out, nil
}

// likeness is what of two answers must be the same.
type likeness struct {
	ordered bool // the rows, in their order
	// countOnly: the rows by their number: which of equal ones is shown is nobody's business.
	countOnly bool
	// warnings: a server that reads fewer rows has fewer of them, where they depend on a row.
	warnings bool
	// ofTemporary: the columns may be those of a temporary table, which has no keys. Where MariaDB makes one is its optimizer's business.
	ofTemporary bool
	// ofGroups: numbers that are computed may be columns of a temporary table; and MariaDB has constants where it sees that a table has one row (which
	// has as many super rows as there are keys, of which there are three at most), or
	// none.
	ofGroups bool
	// rowsOnly: the columns are described otherwise.
	rowsOnly bool
	// anyRow: conditions may name other rows.
	anyRow bool
}

// keyFlags are those that say something of keys, of defaults, and of groups.
const keyFlags = own.PRI_KEY_FLAG | own.UNIQUE_KEY_FLAG | own.MULTIPLE_KEY_FLAG | own.PART_KEY_FLAG | own.NO_DEFAULT_VALUE_FLAG | mysql.GROUP_FLAG

// difference says what is not the same; "" if nothing.
func (l likeness) difference(theirs, ours answer) string {
	if theirs.failure != "" || ours.failure != "" {
		const mix = "1267/" // which operation its text names is the business of expressions
		if strings.HasPrefix(theirs.failure, mix) && strings.HasPrefix(ours.failure, mix) {
			return ""
		}
		return differs("error", theirs.failure, ours.failure)
	}
	if l.rowsOnly {
		theirs.columns, ours.columns, theirs.flags, ours.flags = nil, nil, nil, nil
	}
	few := len(theirs.rows) <= 4
	constant := func(i int) bool {
		return l.ofGroups && (len(theirs.rows) == 0 || few && strings.HasPrefix(at(theirs.columns, i), ".."))
	}
	for i := range max(len(theirs.columns), len(ours.columns)) {
		if constant(i) {
			continue
		}
		if d := differs(fmt.Sprintf("column %d", i+1), at(theirs.columns, i), at(ours.columns, i)); d != "" {
			return d
		}
	}
	for i, flags := range theirs.flags {
		if constant(i) {
			continue
		}
		mask := ^uint16(0)
		if l.ofTemporary {
			mask &^= keyFlags
		}
		if l.ofGroups {
			mask &^= own.BINARY_FLAG
			if few {
				mask &^= own.NOT_NULL_FLAG
			}
		}
		if d := differs(fmt.Sprintf("flags of column %d", i+1), fmt.Sprintf("%x", flags&mask), fmt.Sprintf("%x", ours.flags[i]&mask)); d != "" {
			return d
		}
	}
	if l.warnings {
		if d := differs("warnings", strings.Join(theirs.warnings, " | "), strings.Join(ours.warnings, " | ")); d != "" {
			return d
		}
		if d := differs("count of warnings", fmt.Sprint(theirs.count), fmt.Sprint(ours.count)); d != "" {
			return d
		}
	}
	if l.countOnly {
		return differs("number of rows", fmt.Sprint(len(theirs.rows)), fmt.Sprint(len(ours.rows)))
	}
	want, got := theirs.rows, ours.rows
	if !l.ordered {
		want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
		want, got = without(want, got), without(got, want)
	}
	for len(want) > 0 && len(got) > 0 && want[0] == got[0] {
		want, got = want[1:], got[1:]
	}
	return differs("rows", strings.Join(want, "\n           "), strings.Join(got, "\n           "))
}

// without are the elements of one sorted list that another one has not.
func without(list, other []string) (out []string) {
	for i, j := 0, 0; i < len(list); {
		switch {
		case j == len(other) || list[i] < other[j]:
			out = append(out, list[i])
			i++
		case list[i] == other[j]:
			i++
			j++
		default:
			j++
		}
	}
	return out
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "none"
}

func differs(what, theirs, ours string) string {
	if theirs == ours {
		return ""
	}
	return fmt.Sprintf("%s:\n  expected %s\n  ours     %s", what, theirs, ours)
}
