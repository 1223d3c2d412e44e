package admin

import (
	"sort"
	"sync"

	"github.com/duramendb/duramen/query/session"
)

// Sessions holds the sessions by connection id.
type Sessions struct {
	mu   sync.RWMutex
	byID map[uint32]*session.Session
}

func NewSessions() *Sessions { return &Sessions{byID: map[uint32]*session.Session{}} }

func (l *Sessions) Add(s *session.Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID[s.Info.ID] = s
}

func (l *Sessions) Remove(s *session.Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID[s.Info.ID] == s {
		delete(l.byID, s.Info.ID)
	}
}

func (l *Sessions) Get(id uint32) *session.Session {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.byID[id]
}

func (l *Sessions) All() []*session.Session {
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

func (l *replicaList) Put(conn uint32, info ReplicaInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[uint32]ReplicaInfo{}
	}
	l.byID[conn] = info
}

func (l *replicaList) Remove(conn uint32) {
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

// ReplicaInfo is what COM_REGISTER_SLAVE says; shown by SHOW SLAVE HOSTS.
type ReplicaInfo struct {
	ServerID, MasterID   uint32
	Host, User, Password string
	Port                 uint16
}
