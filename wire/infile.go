package wire

import (
	"fmt"
	"io"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/mysqlerr"
)

var _ query.LocalInfileSink = (*resultWriter)(nil)

// LocalInfile asks the client for a file (LOAD DATA LOCAL INFILE). The client
// sends it packet by packet, and an empty packet at its end.
func (w *resultWriter) LocalInfile(name string) (query.LocalFile, error) {
	c := w.c
	if c.caps&mysql.CLIENT_LOCAL_FILES == 0 {
		return nil, &mysqlerr.Error{Number: 4166, State: "42000",
			Message: "The used command is not allowed because the MariaDB server or client has disabled the local infile capability"}
	}
	start := c.begin()
	c.out = append(append(c.out, 0xfb), name...)
	c.end(start)
	if err := c.flush(); err != nil {
		w.ioErr = err
		return nil, err
	}
	return &localFile{w: w}, nil
}

type localFile struct {
	w    *resultWriter
	rest []byte
	done bool
}

// Read implements query.LocalFile.
func (f *localFile) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.done {
			return 0, io.EOF
		}
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *localFile) next() error {
	c := f.w.c
	payload, err := c.readPacket(maxLocalPacket, c.readTimeout)
	if err != nil {
		f.done, f.w.ioErr = true, fmt.Errorf("local file: %w", err)
		return f.w.ioErr
	}
	f.rest, f.done = payload, len(payload) == 0
	return nil
}

// maxLocalPacket bounds one packet of a file; clients send far smaller ones.
const maxLocalPacket = 64 << 20

// Close reads what the client still sends: it expects no answer before the end.
func (f *localFile) Close() error {
	for !f.done {
		if err := f.next(); err != nil {
			return err
		}
	}
	f.rest = nil
	return nil
}
