package query

import (
	"sort"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
)

// sessionList holds the sessions by connection id.
type sessionList struct {
	mu   sync.RWMutex
	byID map[uint32]*Session
}

func newSessionList() *sessionList { return &sessionList{byID: map[uint32]*Session{}} }

func (l *sessionList) add(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID[s.Info.ID] = s
}

func (l *sessionList) remove(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID[s.Info.ID] == s {
		delete(l.byID, s.Info.ID)
	}
}

func (l *sessionList) get(id uint32) *Session {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.byID[id]
}

func (l *sessionList) all() []*Session {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([]*Session, 0, len(l.byID))
	for _, s := range l.byID {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Info.ID < out[j].Info.ID })
	return out
}

// processList shows the sessions to go-mysql-server (information_schema.PROCESSLIST).
// Sessions keep track of their statements themselves.
type processList struct{ engine *Engine }

var _ sql.ProcessList = processList{}

// Processes implements sql.ProcessList.
func (l processList) Processes() []sql.Process {
	var out []sql.Process
	for _, s := range l.engine.sessions.all() {
		p := s.Proc.Info()
		out = append(out, sql.Process{
			StartedAt: p.Since, Host: p.Host, Database: p.DB, User: p.User, Command: sql.ProcessCommand(p.Command),
			Query: p.Query, QueryPid: uint64(p.ID), Connection: p.ID, Kill: func() {},
		})
	}
	return out
}

// Kill implements sql.ProcessList.
func (l processList) Kill(id uint32) { l.engine.Kill(id, true) }

// The rest of sql.ProcessList has nothing to do here.

// AddConnection implements sql.ProcessList.
func (processList) AddConnection(uint32, string) {}

// ConnectionReady implements sql.ProcessList.
func (processList) ConnectionReady(sql.Session) {}

// RemoveConnection implements sql.ProcessList.
func (processList) RemoveConnection(uint32) {}

// BeginQuery implements sql.ProcessList.
func (processList) BeginQuery(ctx *sql.Context, _ string) (*sql.Context, error) { return ctx, nil }

// EndQuery implements sql.ProcessList.
func (processList) EndQuery(*sql.Context) {}

// BeginOperation implements sql.ProcessList.
func (processList) BeginOperation(ctx *sql.Context) (*sql.Context, error) { return ctx, nil }

// EndOperation implements sql.ProcessList.
func (processList) EndOperation(*sql.Context) {}

// UpdateTableProgress implements sql.ProcessList.
func (processList) UpdateTableProgress(uint64, string, int64) {}

// UpdatePartitionProgress implements sql.ProcessList.
func (processList) UpdatePartitionProgress(uint64, string, string, int64) {}

// AddTableProgress implements sql.ProcessList.
func (processList) AddTableProgress(uint64, string, int64) {}

// AddPartitionProgress implements sql.ProcessList.
func (processList) AddPartitionProgress(uint64, string, string, int64) {}

// RemoveTableProgress implements sql.ProcessList.
func (processList) RemoveTableProgress(uint64, string) {}

// RemovePartitionProgress implements sql.ProcessList.
func (processList) RemovePartitionProgress(uint64, string, string) {}

// replicaList holds what connected replicas said about themselves.
type replicaList struct {
	mu   sync.Mutex
	byID map[uint32]ReplicaInfo
}

func (l *replicaList) put(conn uint32, info ReplicaInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[uint32]ReplicaInfo{}
	}
	l.byID[conn] = info
}

func (l *replicaList) remove(conn uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.byID, conn)
}

func (l *replicaList) all() []ReplicaInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]ReplicaInfo, 0, len(l.byID))
	for _, r := range l.byID {
		out = append(out, r)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ServerID < out[j].ServerID })
	return out
}
