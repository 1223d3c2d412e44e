package query

import (
	"fmt"
	"sync"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// executions has the appliers that run. They may get the same groups, by connections to several MySQLs of which one follows the other: each is executed once.
type executions struct {
	mu struct {
		sync.Mutex
		running map[*execution]bool
	}
}

// execution is what one applier knows of the groups of MySQLs that have been executed.
type execution struct {
	all     *executions
	visible func() gtid.Set
	// known are those that were executed when it began, or by another one since, and those that it has begun itself and not released; current is the last one of
	// these, which it may still release. mu guards both.
	known   gtid.Set
	current gtid.MySQL
}

// begin begins an applier's. visible gives gtid_executed.
func (x *executions) begin(visible func() gtid.Set) *execution {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.mu.running == nil {
		x.mu.running = map[*execution]bool{}
	}
	e := &execution{all: x, visible: visible, known: visible()}
	x.mu.running[e] = true
	return e
}

// end ends it, when nothing of the applier is under way any more: what it has executed the others get to know.
func (e *execution) end() {
	x := e.all
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.mu.running, e)
	if len(x.mu.running) == 0 {
		return
	}
	executed := e.visible()
	for other := range x.mu.running {
		other.known.Union(executed)
	}
}

// Claim is for apply.Executions.
func (e *execution) Claim(g gtid.MySQL) (executed bool, err error) {
	x := e.all
	x.mu.Lock()
	defer x.mu.Unlock()
	if e.current.Valid() {
		e.known.Add(e.current)
		e.current = gtid.MySQL{}
	}
	if e.known.Contains(g) {
		return true, nil
	}
	for other := range x.mu.running {
		if other == e || other.current != g && !other.known.Contains(g) {
			continue
		}
		if e.visible().Contains(g) {
			e.known.Add(g)
			return true, nil
		}
		return false, &primary.Error{Number: 1593, Text: fmt.Sprintf("Fatal error: transaction %s is being executed by another connection; START SLAVE goes on behind it", g)}
	}
	e.current = g
	return false, nil
}

// Release is for apply.Executions.
func (e *execution) Release() {
	e.all.mu.Lock()
	defer e.all.mu.Unlock()
	e.current = gtid.MySQL{}
}
