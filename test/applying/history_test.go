package applying

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// group is a group of a primary's log, to be sent as often as a replica asks for it.
type group struct {
	info      event.GTIDInfo
	timestamp uint32
	end       uint64   // in the primary's file
	events    [][]byte // without the GTID event
	mysql     gtid.MySQL
	// asks: its rows are to be held against foreign keys, as a MariaDB's are.
	asks bool
	// after is the primary's position behind it, and state what its tables were then.
	after gtid.Position
	state string
}

// history is what a primary has done.
type history struct {
	before string // state before the first group
	groups []*group
}

// state is that behind n groups.
func (h *history) state(n int) string {
	if n == 0 {
		return h.before
	}
	return h.groups[n-1].state
}

// reached is the number of groups that a position of a replica is behind; ok is false if it is behind no prefix of the history.
func (h *history) reached(pos gtid.Position) (n int, ok bool) {
	pos = pos.Clone()
	delete(pos, otherDomain)
	for n = len(h.groups); n > 0; n-- {
		if h.groups[n-1].after.Equal(pos) {
			return n, true
		}
	}
	return 0, len(pos) == 0
}

const (
	// localDomain is that of what the replica logs itself, otherDomain one of which only SET GLOBAL gtid_slave_pos knows.
	localDomain, otherDomain = 7, 9
	// asStatement in a statement's text says that it is sent as such, and not as its rows.
	asStatement = "/* as it is */ "
)

// historyTables are what a history begins with; what is in the database skipped is filtered out.
var historyTables = []string{
	"CREATE DATABASE d",
	"CREATE DATABASE skipped",
	"CREATE TABLE d.keyed (id INT PRIMARY KEY AUTO_INCREMENT, k INT NOT NULL, c VARCHAR(100), UNIQUE KEY (k, id), KEY (c))",
	"CREATE TABLE d.keyless (k INT, c VARCHAR(100))",
	"CREATE TABLE d.parents (id INT PRIMARY KEY)",
	"CREATE TABLE d.children (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES d.parents (id) ON DELETE CASCADE)",
	"CREATE TABLE skipped.t (id INT PRIMARY KEY, c VARCHAR(100))",
}

// author writes a history.
type author struct {
	*server
	rng   *rand.Rand
	at    logpos.Pos
	h     history
	extra int // tables and columns that were made so far
	added []string
}

// newHistory lets a primary do so many things.
func newHistory(s *server, rng *rand.Rand, steps int) *history {
	a := newAuthor(s, rng)
	for range steps {
		a.step(a.draw()...)
	}
	return &a.h
}

// newAuthor has made the tables.
func newAuthor(s *server, rng *rand.Rand) *author {
	a := &author{server: s, rng: rng}
	_, a.at = s.parts(logpos.At(1, 0))
	a.h.before = stateOf(s)
	for _, q := range historyTables {
		a.step(q)
		if strings.HasSuffix(q, "DATABASE d") {
			s.exec("USE d") // the tables of numbers are in any
		}
	}
	return a
}

// step runs statements that are one group, or none.
func (a *author) step(statements ...string) {
	a.exec(statements...)
	groups, end := groupsOf(a.server, a.at)
	a.at = end
	require.LessOrEqual(a.t, len(groups), 1, "%q", statements)
	for _, g := range groups {
		g.after = gtid.Position{}
		if n := len(a.h.groups); n > 0 {
			g.after = a.h.groups[n-1].after.Clone()
		}
		g.after.Update(g.info.GTID)
		g.state, g.mysql = stateOf(a.server), gtid.MySQL{Source: mysqlSource, Number: uint64(len(a.h.groups) + 1)}
		a.h.groups = append(a.h.groups, g)
	}
}

func (a *author) draw() []string {
	id, text := a.rng.IntN(60), fmt.Sprintf("%x", a.rng.Uint64N(1<<(8*(1+a.rng.Uint64N(6)))))
	how := ""
	if a.rng.IntN(4) == 0 {
		how = asStatement
	}
	switch a.rng.IntN(20) {
	case 0, 1, 2:
		return []string{fmt.Sprintf("%sINSERT IGNORE INTO d.keyed (id, k, c) VALUES (%d, %d, '%s'), (%d, 3, NULL)", how, id+1, id%7, text, id+2)}
	case 3, 4:
		return []string{fmt.Sprintf("%sUPDATE d.keyed SET c='%s', k=k+1 WHERE id BETWEEN %d AND %d", how, text, id, id+a.rng.IntN(10))}
	case 5:
		return []string{fmt.Sprintf("%sDELETE FROM d.keyed WHERE id=%d", how, id)}
	case 6, 7:
		return []string{fmt.Sprintf("%sINSERT INTO d.keyless VALUES (%d, '%s'), (%d, '%s'), (NULL, NULL)", how, id, text, id, text)}
	case 8:
		return []string{fmt.Sprintf("UPDATE d.keyless SET c=LEFT(CONCAT(c, 'x'), 99) WHERE k > %d LIMIT %d", id, 1+a.rng.IntN(9))}
	case 9:
		return []string{fmt.Sprintf("DELETE FROM d.keyless WHERE k < %d LIMIT %d", id, 1+a.rng.IntN(5))}
	case 10:
		return []string{fmt.Sprintf("INSERT IGNORE INTO d.parents VALUES (%d), (%d)", id%9, id%5)}
	case 11:
		return []string{fmt.Sprintf("INSERT IGNORE INTO d.children SELECT %d, id FROM d.parents WHERE id >= %d ORDER BY id LIMIT 1", id, id%9)}
	case 12:
		return []string{fmt.Sprintf("%sDELETE FROM d.parents WHERE id = %d", how, id%9)}
	case 13, 14:
		return []string{fmt.Sprintf("REPLACE INTO skipped.t VALUES (%d, '%s')", id, text)}
	case 15: // a large one
		return []string{fmt.Sprintf("INSERT INTO d.keyless SELECT seq, REPEAT('%s', 4) FROM seq_1_to_%d", text, 20+a.rng.IntN(150))}
	case 16:
		return []string{
			"BEGIN", fmt.Sprintf("INSERT IGNORE INTO d.keyed (id, k) VALUES (%d, 1)", id+1), "SAVEPOINT a", "DELETE FROM d.keyless WHERE k < 10",
			[]string{"ROLLBACK TO a", "RELEASE SAVEPOINT a"}[id%2], fmt.Sprintf("%sUPDATE d.keyed SET k=k+2 WHERE id=%d", how, id), "INSERT INTO skipped.t VALUES (1000, 'x') ON DUPLICATE KEY UPDATE c='y'",
			fmt.Sprintf("DELETE FROM d.keyed WHERE id > %d", 30+id), "COMMIT",
		}
	case 17:
		return []string{fmt.Sprintf("SET gtid_domain_id=%d", a.rng.IntN(2))}
	}
	return a.definition()
}

func (a *author) definition() []string {
	a.extra++
	switch a.rng.IntN(6) {
	case 0:
		return []string{"TRUNCATE TABLE d.keyless"}
	case 1:
		return []string{fmt.Sprintf("ALTER TABLE d.keyed ADD COLUMN x%d INT DEFAULT %d", a.extra, a.extra)}
	case 2:
		return []string{fmt.Sprintf("CREATE TABLE skipped.u%d (id INT)", a.extra)}
	case 3:
		return []string{fmt.Sprintf("CREATE INDEX i%d ON d.keyed (k)", a.extra)}
	case 4:
		if len(a.added) > 0 {
			name := a.added[0]
			a.added = a.added[1:]
			return []string{"DROP TABLE d." + name}
		}
	}
	name := fmt.Sprintf("extra%d", a.extra)
	a.added = append(a.added, name)
	return []string{fmt.Sprintf("CREATE TABLE d.%s (id INT PRIMARY KEY) SELECT id FROM d.keyed", name)}
}

var counterPattern = regexp.MustCompile(` AUTO_INCREMENT=\d+`)

// stateOf is all that there is in the database d.
func stateOf(s *server) string {
	var b strings.Builder
	for _, row := range s.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'd' ORDER BY 1") {
		name := "d." + strings.TrimSuffix(row, "|")
		fmt.Fprintln(&b, counterPattern.ReplaceAllString(s.query("SHOW CREATE TABLE " + name)[0], ""))
		rows := s.query("SELECT * FROM " + name)
		slices.Sort(rows)
		fmt.Fprintln(&b, strings.Join(rows, "\n"))
	}
	return b.String()
}

// groupsOf are the groups of a server's log after a place.
func groupsOf(s *server, from logpos.Pos) (groups []*group, end logpos.Pos) {
	s.t.Helper()
	r, err := s.store.Log().NewReader(from)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, r.Close()) }()
	var g *group
	for {
		raw, at, err := r.NextNoWait()
		if errors.Is(err, io.EOF) {
			require.Nil(s.t, g, "the log ends in a group")
			return groups, r.Position()
		}
		require.NoError(s.t, err)
		raw = slices.Clone(raw)
		e, err := event.Decode(raw)
		require.NoError(s.t, err)
		if _, private := e.Body.(*event.Private); private {
			continue
		}
		if info, ok := e.Body.(*event.GTIDInfo); ok {
			require.Nil(s.t, g, "a group in a group")
			g = &group{info: *info, timestamp: e.Header.Timestamp}
			continue
		}
		if g == nil {
			continue
		}
		g.events = append(g.events, raw)
		g.end = at.Plus(len(raw)).Offset
		_, ends := e.Body.(*event.Xid)
		q, isQuery := e.Body.(*event.Query)
		if ends || isQuery && (g.info.Flags&event.FLStandalone != 0 || q.SQL == "COMMIT") {
			groups = append(groups, g)
			g = nil
		}
	}
}

// parts are the group as it is received: decoded for this once, and in as many parts as the generator says.
func (g *group) parts(rng *rand.Rand, acknowledge func()) ([]*primary.Part, error) {
	var events []event.Event
	statement := false
	for _, raw := range g.events {
		e, err := event.Decode(slices.Clone(raw))
		if err != nil {
			return nil, err
		}
		switch body := e.Body.(type) {
		case *event.Annotate:
			if statement = strings.HasPrefix(string(body.SQL), asStatement); statement {
				e.Body = &event.Query{SQL: string(body.SQL), Charset: [3]uint16{45, 45, 45}, SQLMode: 0, TimeZone: "SYSTEM"}
			}
		case *event.TableMapInfo:
			if statement {
				continue
			}
		case *event.RowsInfo:
			if statement {
				continue
			}
			if g.asks {
				body.Flags &^= event.RowsNoForeignKeyCheck
			}
		}
		events = append(events, e)
	}
	var parts []*primary.Part
	for from := 0; from < len(events); {
		to := len(events)
		if rng.IntN(3) == 0 {
			to = from + 1 + rng.IntN(len(events)-from)
		}
		parts = append(parts, &primary.Part{GTID: g.info, MySQL: g.mysql, Timestamp: g.timestamp, Bytes: 100 * (to - from), First: from == 0, Last: to == len(events), Events: events[from:to:to]})
		from = to
	}
	last := parts[len(parts)-1]
	last.Place = primary.Place{File: "binlog.000001", Pos: g.end}
	var once sync.Once
	last.Acknowledge = func(logpos.Pos) { once.Do(acknowledge) }
	return parts, nil
}

var errSent = errors.New("a replica asks for what is behind no group of its primary")

// mysqlSource is whose MySQL GTIDs the groups have, purgedSource one of which only SET GLOBAL gtid_purged knows.
var mysqlSource, purgedSource = gtid.UUID{1}, gtid.UUID{9}

// send gives a replica what follows a position, beginning so many groups earlier, and then nothing until the end of ctx.
func (h *history) send(ctx context.Context, from gtid.Position, earlier int, rng *rand.Rand, put func(*primary.Part) error, sends, acknowledged func(n int)) error {
	n, ok := h.reached(from)
	if !ok {
		return fmt.Errorf("%w: %s", errSent, from)
	}
	for n = max(n-earlier, 0); n < len(h.groups); n++ {
		number := n + 1
		parts, err := h.groups[n].parts(rng, func() { acknowledged(number) })
		if err != nil {
			return err
		}
		sends(number)
		if len(parts) > 1 && rng.IntN(3) == 0 { // the primary is started anew in the middle of it, and sends it once more
			if err := put(parts[0]); err != nil {
				return err
			}
			if parts, err = h.groups[n].parts(rng, func() { acknowledged(number) }); err != nil {
				return err
			}
		}
		for _, p := range parts {
			if err := put(p); err != nil {
				return err
			}
		}
	}
	<-ctx.Done()
	return context.Cause(ctx)
}
