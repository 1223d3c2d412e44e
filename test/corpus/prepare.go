package corpus

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/go-mysql-org/go-mysql/client"

	"github.com/duramendb/duramen/mysql"
)

// preparer has texts prepared over one connection, many before the first answer is read: most of the time is otherwise spent on waiting.
type preparer struct {
	conn *client.Conn
	out  net.Conn
	in   *bufio.Reader
	done []uint32 // statements to be closed

	mode, charset string // what was set
	begun         bool
}

func connect(addr, database string) (*preparer, error) {
	c, err := client.Connect(addr, "root", "", database)
	if err != nil {
		return nil, err
	}
	return &preparer{conn: c, out: c.Conn.Conn, in: bufio.NewReaderSize(c.Conn.Conn, 1<<16)}, nil
}

func (p *preparer) close() { _ = p.conn.Quit() }

// exec runs a statement. No answer is open then.
func (p *preparer) exec(query string) error {
	if _, err := p.out.Write(packet(nil, mysql.COM_QUERY, []byte(query))); err != nil {
		return err
	}
	b, err := p.packet()
	if err == nil && b[0] != 0 {
		err = fmt.Errorf("%s: %q", query, b)
	}
	return err
}

// set makes the connection read texts under a mode and in a character set.
func (p *preparer) set(mode, charset string) error {
	if p.begun && p.mode == mode && p.charset == charset {
		return nil
	}
	for _, q := range []string{"SET NAMES " + charset, "SET character_set_results = utf8mb4", "SET sql_mode = '" + mode + "'"} {
		if err := p.exec(q); err != nil {
			return err
		}
	}
	p.begun, p.mode, p.charset = true, mode, charset
	return nil
}

// packetMax is the longest payload of one packet.
const packetMax = 1<<24 - 1

func packet(dst []byte, command byte, payload []byte) []byte {
	n := len(payload) + 1
	return append(append(dst, byte(n), byte(n>>8), byte(n>>16), 0, command), payload...)
}

// packet reads one packet.
func (p *preparer) packet() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return nil, err
	}
	n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
	if n == 0 || n == packetMax {
		return nil, errors.New("a packet of this length was not expected")
	}
	b := make([]byte, n)
	_, err := io.ReadFull(p.in, b)
	return b, err
}

// prepare gives the server's answer to each text, as if all were accepted. An error is one of the connection, and says with which text it ended.
func (p *preparer) prepare(texts []string) ([]Verdict, error) {
	var out []byte
	for _, id := range p.done {
		out = packet(out, mysql.COM_STMT_CLOSE, binary.LittleEndian.AppendUint32(nil, id))
	}
	p.done = p.done[:0]
	for _, text := range texts {
		if len(text)+1 >= packetMax {
			return nil, fmt.Errorf("a text of %d bytes is too long", len(text))
		}
		out = packet(out, mysql.COM_STMT_PREPARE, []byte(text))
	}
	written := make(chan error, 1)
	go func() {
		_, err := p.out.Write(out)
		written <- err
	}()
	list := make([]Verdict, len(texts))
	for i := range list {
		if err := p.answer(&list[i]); err != nil {
			return nil, fmt.Errorf("the server ended the connection at %q: %w", abbreviate(texts[i], 500), err)
		}
	}
	return list, <-written
}

// answer reads the answer to one COM_STMT_PREPARE.
func (p *preparer) answer(v *Verdict) error {
	b, err := p.packet()
	if err != nil {
		return err
	}
	switch {
	case b[0] == mysqlError && len(b) >= 9:
		v.Number, v.Message = binary.LittleEndian.Uint16(b[1:]), string(b[9:])
		return nil
	case b[0] != 0 || len(b) < 12:
		return fmt.Errorf("answer %q", b)
	}
	p.done = append(p.done, binary.LittleEndian.Uint32(b[1:]))
	columns, params := binary.LittleEndian.Uint16(b[5:]), binary.LittleEndian.Uint16(b[7:])
	if _, err := p.definitions(params); err != nil {
		return err
	}
	kinds, err := p.definitions(columns)
	v.Columns = fmt.Sprintf("%d? %s", params, kinds)
	return err
}

const mysqlError = 0xff

// definitions reads column definitions and words their types.
func (p *preparer) definitions(n uint16) (kinds string, err error) {
	if n == 0 {
		return "", nil
	}
	var out bytes.Buffer
	for range n {
		b, err := p.packet()
		if err != nil {
			return "", err
		}
		if len(b) < 13 {
			return "", fmt.Errorf("column definition %q", b)
		}
		// From the end: character set 2, length 4, type 1, flags 2, decimals 1, filler 2.
		t := b[len(b)-12:]
		fmt.Fprintf(&out, "type %d charset %d length %d flags %#x decimals %d; ", t[6], binary.LittleEndian.Uint16(t), binary.LittleEndian.Uint32(t[2:]), binary.LittleEndian.Uint16(t[7:]), t[9])
	}
	_, err = p.packet() // end
	return out.String(), err
}

// abbreviate shortens a text for a report.
func abbreviate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "..."
}
