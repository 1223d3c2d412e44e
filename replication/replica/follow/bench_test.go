package follow

import (
	"net"
	"testing"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// Small transactions over a TCP connection: what one group costs the receiving side, the kernel's part of it included.
func BenchmarkSmallGroups(b *testing.B) {
	s := begun(mariadbVersion, 0)
	start := len(s.b)
	const groups = 1000
	for i := range uint64(groups) {
		s.transaction(i+1, 100)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for b := s.b; ; b = s.b[start:] {
			if _, err := conn.Write(b); err != nil {
				return
			}
		}
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	o := Options{}
	o.ensureDefaults()
	raw := &timed{Conn: conn, timeout: o.NetTimeout, left: -1}
	c := newConn(o, Info{}, raw, raw)
	c.stream.decoder.Checksum = true
	b.SetBytes(int64((len(s.b) - start) / groups))
	b.ReportAllocs()
	for b.Loop() {
		for {
			p, err := c.Next(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if p.Kind == primary.Group {
				break
			}
		}
	}
	_ = c.Close()
	<-done
}
