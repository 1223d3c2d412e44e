package session

import (
	"sync"
	"sync/atomic"
	"time"
)

// shortIDs makes the values of UUID_SHORT.
type shortIDs struct {
	began sync.Once
	first uint64 // when they began, in its place
	given atomic.Uint64
}

// Where the parts of a UUID_SHORT are: the server, when it began, how many there were before.
const (
	shortIDServerBit = 56
	shortIDTimeBit   = 24
)

// ShortID is a value of UUID_SHORT: there is no second one on servers whose server_id differ, unless one makes more than 16 million in a second.
func (s *Server) ShortID() uint64 {
	ids := &s.shortIDs
	ids.began.Do(func() { ids.first = uint64(time.Now().Unix()) << shortIDTimeBit })
	return s.Globals.Uint("server_id")<<shortIDServerBit + ids.first + ids.given.Add(1) - 1
}
