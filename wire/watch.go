package wire

import "time"

// watch looks, at every tick, for connections that have been busy with one
// command since the last tick and whose client has gone.
func (s *Server) watch() {
	defer s.wg.Done()
	tick := time.NewTicker(s.opts.WatchInterval)
	defer tick.Stop()
	seen := make(map[uint32]uint64)
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		next := make(map[uint32]uint64, len(seen))
		for _, c := range s.snapshot() {
			busy := c.busy.Load()
			if busy%2 == 0 {
				continue
			}
			next[c.id] = busy
			if seen[c.id] == busy && c.socket != nil && peerClosed(c.socket) {
				c.cancel(errClientGone)
			}
		}
		seen = next
	}
}
