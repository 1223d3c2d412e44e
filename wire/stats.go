package wire

import "sync/atomic"

type stats struct {
	accepted, refused, aborted, panics atomic.Uint64
	bytesIn, bytesOut                  atomic.Uint64
	commands                           [256]atomic.Uint64
}

// countStep is the number of bytes after which a connection reports them.
const countStep = 64 << 10

// countBytes reports what the connection has read and written since the last call.
func (c *conn) countBytes() {
	in, out := c.bytesIn, c.bytesOut
	c.bytesIn, c.bytesOut = 0, 0
	c.srv.stats.bytesIn.Add(in)
	c.srv.stats.bytesOut.Add(out)
	c.srv.backend.CountStatus("Bytes_received", int64(in))
	c.srv.backend.CountStatus("Bytes_sent", int64(out))
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
	BytesIn     uint64            // running connections report theirs in steps
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
