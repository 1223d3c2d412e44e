package wire

import "sync/atomic"

type stats struct {
	accepted, refused, aborted, panics atomic.Uint64
	bytesIn, bytesOut                  atomic.Uint64 // of connections that have ended
	commands                           [256]atomic.Uint64
}

func (s *stats) command(com byte) { s.commands[com].Add(1) }

// Stats are counters since the Server was made.
type Stats struct {
	Connections int               // open now
	Accepted    uint64            // all that were ever accepted
	Refused     uint64            // for max_connections
	Aborted     uint64            // ended by an error or without COM_QUIT
	Panics      uint64            // connections ended by a panic
	Commands    map[string]uint64 // by name, as PROCESSLIST calls them
	Questions   uint64            // all commands
	BytesIn     uint64            // of connections that have ended
	BytesOut    uint64
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	out := Stats{
		Connections: s.Connections(),
		Accepted:    s.stats.accepted.Load(), Refused: s.stats.refused.Load(),
		Aborted: s.stats.aborted.Load(), Panics: s.stats.panics.Load(),
		BytesIn: s.stats.bytesIn.Load(), BytesOut: s.stats.bytesOut.Load(),
		Commands: make(map[string]uint64),
	}
	for i := range s.stats.commands {
		n := s.stats.commands[i].Load()
		if n == 0 {
			continue
		}
		out.Questions += n
		name, ok := commandNames[byte(i)]
		if !ok {
			name = "Unknown"
		}
		out.Commands[name] += n
	}
	return out
}
