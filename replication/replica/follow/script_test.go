package follow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// canned is a connection on which the given bytes arrive, at most step at a time (0: all that fit), and then the end.
type canned struct {
	net.Conn
	b       []byte
	step    int
	written bytes.Buffer
	closed  bool
}

func (c *canned) Read(b []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	if c.step > 0 {
		b = b[:min(len(b), c.step)]
	}
	n := copy(b, c.b)
	c.b = c.b[n:]
	return n, nil
}

func (c *canned) Write(b []byte) (int, error)     { return c.written.Write(b) }
func (c *canned) Close() error                    { c.closed = true; return nil }
func (c *canned) SetReadDeadline(time.Time) error { return nil }

// script makes a primary's stream.
type script struct {
	b        []byte
	semiSync bool
	pos      uint64
	number   uint64 // of the last MySQL GTID
}

func (s *script) packet(payload []byte) {
	for {
		n := min(len(payload), fragmentMax)
		s.b = append(s.b, byte(n), byte(n>>8), byte(n>>16), 0)
		s.b = append(s.b, payload[:n]...)
		if payload = payload[n:]; n < fragmentMax {
			return
		}
	}
}

// event sends an event that was appended to nothing; finish fills in its end and checksum.
func (s *script) event(ev []byte) { s.ask(ev, false) }

func (s *script) ask(ev []byte, wanted bool) {
	s.pos += uint64(len(ev))
	binary.LittleEndian.PutUint32(ev[13:], uint32(s.pos))
	event.SetChecksum(ev)
	s.raw(ev, wanted)
}

func (s *script) raw(ev []byte, wanted bool) {
	payload := []byte{packetOK}
	if s.semiSync {
		payload = append(payload, semiSyncMagic, 0)
		if wanted {
			payload[2] = 1
		}
	}
	s.packet(append(payload, ev...))
}

// artificial sends an event without a place.
func (s *script) artificial(ev []byte) {
	event.SetChecksum(ev)
	s.raw(ev, false)
}

var meta = event.Meta{Timestamp: 1000, ServerID: 3}

func begun(version string, created uint32) *script {
	s := &script{}
	s.start(version, created)
	return s
}

func (s *script) start(version string, created uint32) {
	s.artificial(event.AppendRotate(nil, event.Meta{ServerID: 3, Flags: event.FlagArtificial}, 4, "log.000001"))
	s.pos = 4
	s.event(event.AppendFormatDescription(nil, meta, version, created))
}

func (s *script) gtid(seq uint64, flags byte) {
	s.event(event.AppendGTID(nil, meta, event.GTIDInfo{GTID: gtid.GTID{Server: 3, Seq: seq}, Flags: flags}))
}

func (s *script) query(sql string) {
	s.event(event.AppendQuery(nil, meta, event.Query{SQL: sql, Schema: "d"}))
}

var table = event.TableMapInfo{TableID: 7, Schema: "d", Table: "t", Columns: []event.ColumnMeta{{Type: mysql.MYSQL_TYPE_LONG}, {Type: mysql.MYSQL_TYPE_BLOB, Meta: 4}}}

func (s *script) rows(n int) {
	s.event(event.AppendTableMap(nil, meta, &table))
	row := []byte{0, 1, 0, 0, 0}
	row = binary.LittleEndian.AppendUint32(row, uint32(n))
	row = append(row, make([]byte, n)...)
	s.event(event.AppendRows(nil, meta, &event.RowsInfo{TableID: 7, Flags: event.RowsStmtEnd, Kind: event.WriteRowsV1, Columns: 2, Rows: row}))
}

func (s *script) transaction(seq uint64, rowBytes int) {
	s.gtid(seq, event.FLTransactional)
	s.rows(rowBytes)
	s.ask(event.AppendXID(nil, meta, seq), s.semiSync)
}

// mysqlGTID begins a group of a MySQL; they have numbers from 1.
func (s *script) mysqlGTID(t event.Type) {
	body := make([]byte, 42)
	body[0] = 1
	if t == event.MySQLGTID {
		s.number++
		copy(body[1:], gtid.MySQL{Source: gtid.UUID{7}, Number: s.number}.AppendTo(nil))
	}
	ev, start := event.Begin(nil, meta, t)
	s.event(event.End(append(ev, body...), start))
}

// payload sends what another script has sent as one compressed transaction, which says of itself that it has more bytes by so many.
func (s *script) payload(inner *script, more int) {
	var plain []byte
	for b := inner.b; len(b) > 0; b = b[packetHeader+size(b):] {
		ev := bytes.Clone(b[packetHeader+1 : packetHeader+size(b)-event.ChecksumSize])
		binary.LittleEndian.PutUint32(ev[9:], uint32(len(ev)))
		binary.LittleEndian.PutUint32(ev[13:], 0)
		plain = append(plain, ev...)
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	data := w.EncodeAll(plain, nil)
	eight := func(n int) []byte { return binary.LittleEndian.AppendUint64([]byte{9, 0xfe}, uint64(n)) }
	ev, start := event.Begin(nil, meta, event.TransactionPayload)
	ev = append(append(ev, 1), eight(len(data))...)
	ev = append(append(ev, 2, 1, 0, 3), eight(len(plain)+more)...)
	s.ask(event.End(append(append(ev, 0), data...), start), s.semiSync)
}

const (
	mariadbVersion = "10.11.19-MariaDB-log"
	mysqlVersion   = "8.4.3"
)

// attached is a connection that has asked for the log already.
func attached(wire *canned, semiSync bool, change func(*Options, *canned)) *Conn {
	var o Options
	if change != nil {
		change(&o, wire)
	}
	o.ensureDefaults()
	c := newConn(o, Info{SemiSync: semiSync}, wire, wire)
	c.stream.decoder.Checksum = true
	return c
}

// received are the parts that come of a stream, and the error at its end.
func received(t *testing.T, s *script, change func(*Options, *canned)) (*Conn, []*primary.Part, *primary.Error) {
	t.Helper()
	wire := &canned{b: s.b}
	c := attached(wire, s.semiSync, change)
	var parts []*primary.Part
	for {
		p, err := c.Next(t.Context())
		if err != nil {
			var e *primary.Error
			if !errors.As(err, &e) || !wire.closed {
				t.Fatalf("%v, closed: %t", err, wire.closed)
			}
			if _, again := c.Next(t.Context()); !errors.Is(again, err) {
				t.Fatalf("first %v, then %v", err, again)
			}
			return c, parts, e
		}
		parts = append(parts, p)
	}
}

// summary is the sequence of parts in a few words.
func summary(parts []*primary.Part) string {
	var out []string
	for _, p := range parts {
		switch p.Kind {
		case primary.Restarted:
			out = append(out, "restarted")
		case primary.Moved:
			out = append(out, "moved")
		case primary.UntilReached:
			out = append(out, "until")
		case primary.Group:
			w := p.GTID.GTID.String() + ":"
			if p.MySQL.Valid() {
				w = fmt.Sprintf("%x-%d:", p.MySQL.Source[0], p.MySQL.Number)
			}
			if !p.First {
				w += "+"
			}
			for _, e := range p.Events {
				if q, ok := e.Body.(*event.Query); ok {
					w += "(" + q.SQL + ")"
				} else {
					w += string(e.Header.Type.String()[0])
				}
			}
			if !p.Last {
				w += "+"
			}
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}
