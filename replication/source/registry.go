package source

import (
	"cmp"
	"slices"
	"sync"
)

// Replica is what a replica said about itself in COM_REGISTER_SLAVE.
type Replica struct {
	ServerID uint32
	Host     string
	User     string
	Port     uint16
	MasterID uint32
}

// Registry lists the registered replicas (SHOW SLAVE HOSTS). The zero value is
// ready; it is safe for concurrent use.
type Registry struct {
	mu struct {
		sync.Mutex
		byConn map[uint32]Replica
	}
}

// Register records the replica of a connection, replacing what the connection
// registered before.
func (r *Registry) Register(connID uint32, replica Replica) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.byConn == nil {
		r.mu.byConn = map[uint32]Replica{}
	}
	r.mu.byConn[connID] = replica
}

// Unregister forgets the connection's replica, if it had any.
func (r *Registry) Unregister(connID uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.mu.byConn, connID)
}

// List returns the registered replicas, by server id.
func (r *Registry) List() []Replica {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Replica, 0, len(r.mu.byConn))
	for _, replica := range r.mu.byConn {
		list = append(list, replica)
	}
	slices.SortFunc(list, func(a, b Replica) int {
		return cmp.Or(cmp.Compare(a.ServerID, b.ServerID), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Port, b.Port))
	})
	return list
}
