package crashtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn"
)

// sorted are this life's transactions in log order.
func (lf *life) sorted() []*commit {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	slices.SortFunc(lf.mu.commits, func(a, b *commit) int { return a.end.Compare(b.end) })
	return lf.mu.commits
}

// verifyRecovered checks what was recovered: it is a prefix of the history in log
// order, which holds everything acknowledged. The rest of the history is forgotten.
func (lf *life) verifyRecovered(ctx context.Context) error {
	groups, first, err := lf.groupsInLog()
	if err != nil {
		return fmt.Errorf("recovered log: %w", err)
	}
	l := lf.lab
	if l.beginning.first > 0 && first >= l.beginning.first {
		l.begun = l.beginning
	}
	l.beginning = reset{}
	recovered := l.history[:0:0]
	var lost []string
	for _, c := range l.history {
		if c.end.Segment < first {
			recovered = append(recovered, c) // its file was purged
			continue
		}
		for len(groups) > 0 && (groups[0].end != c.end || groups[0].instead(c)) {
			d := lf.undecided(groups[0])
			if d == nil {
				break
			}
			recovered = append(recovered, d)
			groups = groups[1:]
		}
		if len(groups) > 0 && groups[0].end == c.end {
			if groups[0].gtid != c.gtid {
				return fmt.Errorf("recovered log: at %s is %s, it was %s", c.end, groups[0].gtid, c.gtid)
			}
			groups = groups[1:]
			c.acked = true // and has to stay from now on
			recovered = append(recovered, c)
			continue
		}
		if c.acked {
			lost = append(lost, fmt.Sprintf("%s at %s", c.gtid, c.end))
		}
	}
	if len(lost) > 0 {
		return fmt.Errorf("acknowledged transactions are lost: %s", strings.Join(lost, ", "))
	}
	for _, g := range groups {
		c := lf.undecided(g)
		if c == nil {
			return fmt.Errorf("recovered log: %s at %s was never committed, or does not follow on the group before", g.gtid, g.end)
		}
		recovered = append(recovered, c)
	}
	if err := l.verifyCopied(recovered, first); err != nil {
		return err
	}
	if err := lf.forgetVolatile(recovered); err != nil {
		return err
	}
	err = lf.verify(ctx, recovered)
	if err != nil && l.hidden {
		if with := lf.uncover(ctx, recovered); with != nil {
			recovered, err = with, nil
		}
	}
	clear(l.maybe) // what is not in the log now never will be
	l.history, l.hidden = recovered, false
	l.stats.Recovered += len(recovered)
	return errors.Join(err, lf.verifyFiles())
}

// uncover looks for transactions that were committed before a RESET MASTER took them out of the log, and
// whose clients had no answer yet when the power failed: whole ones, with which the tables are right. It returns the history
// with them, or nil.
func (lf *life) uncover(ctx context.Context, recovered []*commit) []*commit {
	l := lf.lab
	at := 0 // where the new log begins
	for at < len(recovered) && recovered[at].end.Segment < l.begun.first {
		at++
	}
	tags := slices.Sorted(maps.Keys(l.maybe))
	for choice := 1; choice < 1<<len(tags); choice++ {
		var found []*commit
		for i, tag := range tags {
			if choice>>i&1 == 1 {
				end := logpos.At(l.begun.first-1, uint64(tag)) // nobody knows where it was
				found = append(found, &commit{end: end, changes: l.maybe[tag], acked: true})
			}
		}
		with := slices.Concat(recovered[:at], found, recovered[at:])
		if lf.verify(ctx, with) == nil {
			l.stats.Maybe += len(found)
			return with
		}
	}
	return nil
}

// undecided is the transaction of a logged group that was being committed when the process died, or what a start has
// logged itself; otherwise nil. It answers once.
func (lf *life) undecided(g loggedGroup) *commit {
	l := lf.lab
	if g.emptied != "" {
		return &commit{end: g.end, gtid: g.gtid, changes: []change{{kind: emptyTable, name: g.emptied}},
			acked: *l.opts.SyncBinlog == 1 && !lf.crashed()} // a commit as any other, of this start
	}
	changes, ok := l.maybe[g.tag]
	if !ok {
		return nil
	}
	l.stats.Maybe++
	delete(l.maybe, g.tag)
	return &commit{end: g.end, gtid: g.gtid, changes: changes, acked: true}
}

// loggedGroup is a transaction found in the log.
type loggedGroup struct {
	end  logpos.Pos
	gtid gtid.GTID
	tag  int64 // 0 if it has none
	// emptied is the table that a restart has emptied, of a group that says so.
	emptied string
}

// instead reports whether a start has logged the group where c had been, which the crash took with it, and which happened to be as long.
func (g loggedGroup) instead(c *commit) bool {
	return g.emptied != "" && !c.acked && !slices.ContainsFunc(c.changes, func(ch change) bool { return ch.kind == emptyTable && ch.name == g.emptied })
}

// emptiedPattern is what a start logs for a table of an engine that keeps nothing.
var emptiedPattern = regexp.MustCompile("^TRUNCATE TABLE `" + database + "`.`(\\w+)` /\\* generated by server for memory table after a restart \\*/$")

var tagPattern = regexp.MustCompile(`/\* (\d+) \*/`)

// findTag finds the tag of a transaction in the bytes of one of its events.
func findTag(ev []byte) int64 {
	m := tagPattern.FindSubmatch(ev)
	if m == nil {
		return 0
	}
	tag, _ := strconv.ParseInt(string(m[1]), 10, 64) // it is all digits
	return tag
}

// groupReader reads a log group by group.
type groupReader struct {
	r      *binlog.Reader
	groups binlog.Groups
	halves halves
	tag    int64
}

// next returns io.EOF at the end of what is visible.
func (g *groupReader) next() (loggedGroup, error) {
	for {
		ev, at, err := g.r.NextNoWait()
		if errors.Is(err, io.EOF) && g.groups.Open {
			return loggedGroup{}, fmt.Errorf("the log ends inside %s", g.groups.GTID)
		}
		if err != nil {
			return loggedGroup{}, err
		}
		end := at.Plus(len(ev))
		ended, err := g.groups.Next(ev)
		if err != nil {
			return loggedGroup{}, err
		}
		if err := g.halves.note(ev, ended); err != nil {
			return loggedGroup{}, fmt.Errorf("%s: %w", g.groups.GTID, err)
		}
		g.tag = max(g.tag, findTag(ev))
		found := loggedGroup{end: end, gtid: g.groups.GTID, tag: g.tag}
		e, err := event.Decode(ev)
		if err != nil {
			return loggedGroup{}, err
		}
		if q, ok := e.Body.(*event.Query); ok {
			if m := emptiedPattern.FindStringSubmatch(q.SQL); m != nil {
				found.emptied = m[1]
			}
		}
		if !ended {
			if p, ok := e.Body.(*event.Private); !ok || p.Kind != event.PrivateLocal || g.groups.Open {
				continue
			}
			found.gtid = gtid.GTID{}
		}
		g.tag = 0
		return found, nil
	}
}

// groupsInLog reads the whole log. first is its first segment.
func (lf *life) groupsInLog() (groups []loggedGroup, first uint64, err error) {
	log := lf.store.Log()
	first = log.Segments()[0].Segment
	r, err := log.NewReader(logpos.Pos{Segment: first})
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	for g := (groupReader{r: r}); ; {
		found, err := g.next()
		if errors.Is(err, io.EOF) {
			return groups, first, nil
		}
		if err != nil {
			return nil, 0, err
		}
		groups = append(groups, found)
	}
}

// copyLog is a replica: it reads the log as fast as it is shown, from the newest segment on. What
// it has received must never be taken back. Where visible means durable, it reads as any reader does.
func (lf *life) copyLog(ctx context.Context, steps int, durable bool) error {
	log := lf.store.Log()
	open := log.NewReader
	if durable {
		open = log.NewDurableReader
	}
	r, err := open(logpos.Pos{Segment: log.Visible().Segment})
	if err != nil && lf.lab.resets {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	g := groupReader{r: r}
	for range steps {
		if lf.stepDies(ctx) {
			return nil
		}
		for {
			found, err := g.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil && lf.lab.resets {
				return nil // the log was begun anew under it
			}
			if err != nil {
				return err
			}
			lf.noteCopied(found)
		}
	}
	return nil
}

func (lf *life) noteCopied(g loggedGroup) {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	if !lf.mu.crashed {
		lf.lab.copied[g.end] = g.gtid
	}
}

// verifyCopied checks that nothing is missing that a replica has. first is the first segment that was not purged.
func (l *lab) verifyCopied(recovered []*commit, first uint64) error {
	there := make(map[logpos.Pos]gtid.GTID, len(recovered))
	for _, c := range recovered {
		there[c.end] = c.gtid
	}
	for end, copied := range l.copied {
		if got, ok := there[end]; end.Segment >= first && (!ok || got != copied) {
			return fmt.Errorf("a replica has %s, which ends at %s; here is %s", copied, end, got)
		}
	}
	clear(l.copied)
	return nil
}

// verify compares the store, at rest, with what it should hold after some transactions.
func (lf *life) verify(ctx context.Context, commits []*commit) error {
	want, err := stateAfter(commits)
	if err != nil {
		return err
	}
	got, err := lf.readAll(ctx)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if d := want.diff(got); d != "" {
		return fmt.Errorf("contents are wrong:\n%s", d)
	}
	results, err := lf.store.CheckAll(ctx)
	if err != nil {
		return err
	}
	for _, r := range results {
		if !r.OK() {
			return fmt.Errorf("check of %s: %s", r.Table, strings.Join(r.Problems, "\n"))
		}
	}
	if err := lf.verifyHot(got); err != nil {
		return err
	}
	return errors.Join(got.verifyAccounts(), lf.verifyMark(), lf.verifyState(commits), lf.verifyPositions())
}

// readAll reads all tables through a transaction.
func (lf *life) readAll(ctx context.Context) (dbState, error) {
	t := lf.store.Txns().Begin(txn.Options{})
	defer t.Rollback()
	db := dbState{}
	for _, tbl := range t.Catalog().AllTables() {
		s := &tableState{id: tbl.ID(), name: tbl.Def.Name, keyless: tbl.Keyless(), rows: map[int64]string{}, bag: map[string]int{}}
		db[tbl.ID()] = s
		cursor, err := t.Scan(ctx, txn.ScanSpec{Table: tbl, Index: -1})
		if err != nil {
			return nil, err
		}
		for cursor.Next() {
			if s.keyless {
				s.bag[string(cursor.Image())]++
				continue
			}
			r, err := decode(tbl, cursor.Image())
			if err != nil {
				return nil, errors.Join(err, cursor.Close())
			}
			s.rows[r.id] = string(cursor.Image())
		}
		if err := errors.Join(cursor.Err(), cursor.Close()); err != nil {
			return nil, err
		}
	}
	return db, nil
}

// verifyMark checks that log and engine stand at the same place.
func (lf *life) verifyMark() error {
	s := lf.store
	if err := s.Pipeline().AdvanceMark(); err != nil {
		return err
	}
	mark, log := s.Engine().Applied(), s.Log()
	if end := log.End(); mark.Position != end || log.Visible() != end {
		return fmt.Errorf("the engine stands at %s, the log ends at %s and is visible to %s", mark.Position, end, log.Visible())
	}
	if text := log.StateClone().String(); gtid.StateText(mark.GTIDState) != text {
		return fmt.Errorf("the engine's GTID state is %q, the log's %q", mark.GTIDState, text)
	}
	return VerifyEngines(lf.store, lf.failing.Load())
}

// verifyState checks the log's GTID state.
func (lf *life) verifyState(commits []*commit) error {
	begun := lf.lab.begun
	want, err := gtid.ParseState(begun.state)
	if err != nil {
		return err
	}
	for _, c := range commits {
		if c.gtid != (gtid.GTID{}) && c.end.Segment >= begun.first {
			want.Update(c.gtid)
		}
	}
	if got := lf.store.Log().StateClone().String(); got != want.String() {
		return fmt.Errorf("the log's GTID state is %q, should be %q", got, want)
	}
	return nil
}

// verifyFiles checks that recovery left nothing behind of operations on the log that a crash interrupted.
func (lf *life) verifyFiles() error {
	return VerifyFiles(lf.fs, dataDir, lf.store.Log(), lf.lab.engines()...)
}

// read is what a client reads who only reads.
func (lf *life) read(ctx context.Context, rng *rand.Rand) error {
	if lf.lab.several() && rng.IntN(2) == 0 {
		return lf.readAccounts(ctx, rng)
	}
	return lf.readHot(ctx, tableNames[rng.IntN(2)])
}

// readHot looks at the hot row of a table. What it saw must not be taken back.
func (lf *life) readHot(ctx context.Context, name string) error {
	t := lf.store.Txns().Begin(txn.Options{})
	defer t.Rollback()
	if err := t.LockTable(ctx, database, name, txn.IntentShared); err != nil {
		return err
	}
	tbl := t.Catalog().Table(database, name)
	if tbl == nil {
		return nil
	}
	r, ok, err := hotRow(tbl, func(key []byte) ([]byte, bool, error) {
		return t.Get(ctx, tbl, key, txn.Snapshot, txn.Wait)
	})
	if errors.Is(err, txn.ErrTableChanged) {
		return nil
	}
	if err != nil || !ok {
		return err
	}
	lf.mu.Lock()
	defer lf.mu.Unlock()
	if !lf.mu.crashed {
		lf.lab.sawHot(tbl.ID(), r.n)
	}
	return nil
}

func hotRow(tbl *catalog.Table, get func(key []byte) ([]byte, bool, error)) (record, bool, error) {
	probe, err := encode(tbl, record{id: hotKey})
	if err != nil {
		return record{}, false, err
	}
	key, err := tbl.PrimaryKey(nil, probe)
	if err != nil {
		return record{}, false, err
	}
	image, ok, err := get(key)
	if err != nil || !ok {
		return record{}, false, err
	}
	r, err := decode(tbl, bytes.Clone(image))
	return r, true, err
}

// sawHot notes the value of a hot row, which only grows. It is called under the mutex of a life.
func (l *lab) sawHot(table uint32, n int64) {
	if !l.relaxed {
		l.hotSeen[table] = max(l.hotSeen[table], n)
	}
}

// verifyHot checks that no reader saw more of a hot row than there is.
func (lf *life) verifyHot(db dbState) error {
	for id, seen := range lf.lab.hotSeen {
		tbl := lf.store.Catalog().Current().TableByID(id)
		if tbl == nil {
			continue // dropped or replaced
		}
		r, ok, err := hotRow(tbl, func([]byte) ([]byte, bool, error) {
			image, ok := db[id].rows[hotKey]
			return []byte(image), ok, nil
		})
		if err != nil {
			return err
		}
		if !ok || r.n < seen {
			return fmt.Errorf("a reader saw the hot row of %s at %d, now it is at %d", tbl.Def.Name, seen, r.n)
		}
	}
	return nil
}
