package admin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/txn"
	"github.com/duramendb/duramen/txn/lock"
)

// What InnoDB tells of its transactions and locks, of ours: INNODB_TRX, INNODB_LOCKS and
// INNODB_LOCK_WAITS. As there, locks are listed that somebody waits for, with those in the way; metadata
// locks are none of InnoDB's. Where InnoDB has a page there is the key.

// innodbRows fills a table that asks for PROCESS.
func (e *Server) innodbRows(rows func(*innodbReport) [][]any) func(*session.Session) ([][]any, error) {
	return func(s *session.Session) ([][]any, error) {
		if err := s.Require(privilege.Process); err != nil {
			return nil, err
		}
		r := &innodbReport{engine: e}
		for _, w := range e.Store.Txns().Waits() {
			if w.Class == lock.Rows {
				r.waits = append(r.waits, w)
			}
		}
		slices.SortFunc(r.waits, func(a, b lock.Wait) int { return int(a.ID) - int(b.ID) })
		return rows(r), nil
	}
}

// innodbReport is what one statement sees.
type innodbReport struct {
	engine *Server
	waits  []lock.Wait // for rows
}

// transactions are the rows of INNODB_TRX.
func (r *innodbReport) transactions() [][]any {
	var out [][]any
	for _, s := range r.engine.Sessions.All() {
		tx := s.Running.Load()
		if tx == nil {
			continue
		}
		info := tx.Info()
		state, requested, since := "RUNNING", any(nil), any(nil)
		if at := slices.IndexFunc(r.waits, func(w lock.Wait) bool { return w.ID == info.ID }); at >= 0 {
			w := &r.waits[at]
			state, requested, since = "LOCK WAIT", r.lockID(w.ID, w.Key), w.Since
			info.RowsLocked++ // InnoDB counts the one that is waited for
		} else if !info.Used {
			continue
		}
		query := any(nil)
		if text := s.Proc.Info().Query; text != "" {
			query = cutText(text, 1024)
		}
		locked := 0
		if info.RowsLocked > 0 {
			locked = info.NamesLocked
		}
		out = append(out, []any{info.ID, state, info.Started, requested, since,
			info.RowsModified + info.RowsLocked, info.Thread, query, "", 0, locked, info.RowsLocked, 0, info.RowsLocked, info.RowsModified,
			0, isolationNames[info.Isolation], 1, 1, nil, info.ReadOnly, 0})
	}
	return out
}

var isolationNames = map[txn.Isolation]string{
	txn.ReadUncommitted: "READ UNCOMMITTED", txn.ReadCommitted: "READ COMMITTED",
	txn.RepeatableRead: "REPEATABLE READ", txn.Serializable: "SERIALIZABLE",
}

// cutText is the beginning of text, of at most n characters.
func cutText(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), n)])
}

// lockID names a lock of a transaction in the three tables.
func (r *innodbReport) lockID(id uint64, key []byte) string {
	l := r.engine.Store.Txns().DescribeLock(key)
	return fmt.Sprintf("%d:%d:%d:%s", id, l.TableID, l.IndexID, cutText(l.Key, 40))
}

// locks are the rows of INNODB_LOCKS.
func (r *innodbReport) locks() [][]any {
	var out [][]any
	seen := map[string]bool{}
	add := func(p lock.Party, key []byte) {
		id := r.lockID(p.ID, key)
		if seen[id] {
			return
		}
		seen[id] = true
		l := r.engine.Store.Txns().DescribeLock(key)
		out = append(out, []any{id, p.ID, p.Mode.String(), "RECORD", lockedTable(l), l.Index, l.TableID, nil, nil, l.Key})
	}
	for i := range r.waits {
		add(r.waits[i].Party, r.waits[i].Key)
		for _, b := range r.waits[i].Blockers {
			add(b, r.waits[i].Key)
		}
	}
	return out
}

// lockWaits are the rows of INNODB_LOCK_WAITS.
func (r *innodbReport) lockWaits() [][]any {
	var out [][]any
	for i := range r.waits {
		w := &r.waits[i]
		for _, b := range w.Blockers {
			out = append(out, []any{w.ID, r.lockID(w.ID, w.Key), b.ID, r.lockID(b.ID, w.Key)})
		}
	}
	return out
}

func lockedTable(l txn.Locked) string {
	if l.DB == "" {
		return fmt.Sprintf("table %d, which is not there any more", l.TableID)
	}
	return dialect.QuoteName(l.DB) + "." + dialect.QuoteName(l.Table)
}

// lockStates is what PROCESSLIST shows of connections that wait for locks on names, in MariaDB's words.
func (e *Server) lockStates() map[uint32]string {
	states := map[uint32]string{}
	for _, w := range e.Store.Txns().Waits() {
		if state := e.lockState(w); state != "" {
			states[w.Thread] = state
		}
	}
	return states
}

func (e *Server) lockState(w lock.Wait) string {
	switch l := e.Store.Txns().DescribeLock(w.Key); {
	case l.Global:
		return "Waiting for backup lock"
	case l.Name && l.Table == "":
		return "Waiting for schema metadata lock"
	case l.Name:
		return "Waiting for table metadata lock"
	case l.User != "":
		return "User lock"
	}
	return ""
}

// innodbStatus is the answer to SHOW ENGINE INNODB STATUS: deadlocks and transactions are shown.
func (e *Server) innodbStatus(now time.Time) string {
	var b strings.Builder
	line := strings.Repeat("=", 37)
	fmt.Fprintf(&b, "\n%s\n%s INNODB MONITOR OUTPUT\n%s\n", line, now.Format(statusTime), line)
	if d := e.Store.Txns().LastDeadlock(); d != nil {
		writeSection(&b, "LATEST DETECTED DEADLOCK")
		e.writeDeadlock(&b, d)
	}
	writeSection(&b, "TRANSACTIONS")
	b.WriteString("LIST OF TRANSACTIONS FOR EACH SESSION:\n")
	waits := e.Store.Txns().Waits()
	for _, s := range e.Sessions.All() {
		if tx := s.Running.Load(); tx != nil {
			e.writeTransaction(&b, s, tx.Info(), waits, now)
		}
	}
	writeSection(&b, "STORAGE")
	b.WriteString(e.engineReport(e.Engines.Default()))
	fmt.Fprintf(&b, "----------------------------\nEND OF INNODB MONITOR OUTPUT\n============================\n")
	return b.String()
}

const statusTime = "2006-01-02 15:04:05"

func writeSection(b *strings.Builder, title string) {
	rule := strings.Repeat("-", len(title))
	fmt.Fprintf(b, "%s\n%s\n%s\n", rule, title, rule)
}

func (e *Server) writeDeadlock(b *strings.Builder, d *lock.Deadlock) {
	fmt.Fprintf(b, "%s\n", d.At.Format(statusTime))
	for i := range d.Waits {
		w, next := &d.Waits[i], d.Waits[(i+1)%len(d.Waits)].Thread
		fmt.Fprintf(b, "*** (%d) TRANSACTION:\nTRANSACTION %d, waiting since %s\nMariaDB thread id %d\n%s\n", i+1, w.ID, w.Since.Format(statusTime), w.Thread, w.Statement)
		fmt.Fprintf(b, "*** WAITING FOR THIS LOCK TO BE GRANTED:\n%s waiting\n", e.describeLock(w.Key, w.Party))
		b.WriteString("*** CONFLICTING WITH:\n")
		for _, p := range w.Blockers {
			if p.Thread == next {
				fmt.Fprintf(b, "%s\n", e.describeLock(w.Key, p))
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("*** WE ROLL BACK TRANSACTION (1)\n")
}

func (e *Server) writeTransaction(b *strings.Builder, s *session.Session, info txn.Info, waits []lock.Wait, now time.Time) {
	at := slices.IndexFunc(waits, func(w lock.Wait) bool { return w.ID == info.ID })
	if at < 0 && !info.Used {
		return
	}
	fmt.Fprintf(b, "---TRANSACTION %d, ACTIVE %d sec\n", info.ID, int(now.Sub(info.Started).Seconds()))
	if at >= 0 {
		b.WriteString("LOCK WAIT ")
	}
	p := s.Proc.Info()
	fmt.Fprintf(b, "%d row lock(s), undo log entries %d\nMariaDB thread id %d %s %s\n", info.RowsLocked, info.RowsModified, info.Thread, p.Host, p.User)
	if p.Query != "" {
		fmt.Fprintf(b, "%s\n", p.Query)
	}
	if at >= 0 {
		w := &waits[at]
		fmt.Fprintf(b, "------- TRX HAS BEEN WAITING %d us FOR THIS LOCK TO BE GRANTED:\n%s waiting\n------------------\n",
			now.Sub(w.Since).Microseconds(), e.describeLock(w.Key, w.Party))
	}
}

// describeLock says what a party has, or waits for.
func (e *Server) describeLock(key []byte, p lock.Party) string {
	l := e.Store.Txns().DescribeLock(key)
	switch {
	case l.User != "":
		return fmt.Sprintf("USER LOCK %q trx id %d lock mode %s", l.User, p.ID, p.Mode)
	case l.Global:
		return fmt.Sprintf("GLOBAL LOCK trx id %d lock mode %s", p.ID, p.Mode)
	case l.Name && l.Table == "":
		return fmt.Sprintf("METADATA LOCK on database %s trx id %d lock mode %s", dialect.QuoteName(l.DB), p.ID, p.Mode)
	case l.Name:
		return fmt.Sprintf("METADATA LOCK on table %s trx id %d lock mode %s", lockedTable(l), p.ID, p.Mode)
	}
	return fmt.Sprintf("RECORD LOCKS index %s of table %s trx id %d lock_mode %s locks rec but not gap, key (%s)",
		l.Index, lockedTable(l), p.ID, p.Mode, l.Key)
}
