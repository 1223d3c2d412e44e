package query

import (
	"sort"
	"sync"

	"github.com/duramendb/duramen/query/session"
)

// sessionList holds the sessions by connection id.
type sessionList struct {
	mu   sync.RWMutex
	byID map[uint32]*session.Session
}

func newSessionList() *sessionList { return &sessionList{byID: map[uint32]*session.Session{}} }

func (l *sessionList) add(s *session.Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID[s.Info.ID] = s
}

func (l *sessionList) remove(s *session.Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID[s.Info.ID] == s {
		delete(l.byID, s.Info.ID)
	}
}

func (l *sessionList) get(id uint32) *session.Session {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.byID[id]
}

func (l *sessionList) all() []*session.Session {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([]*session.Session, 0, len(l.byID))
	for _, s := range l.byID {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Info.ID < out[j].Info.ID })
	return out
}

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
