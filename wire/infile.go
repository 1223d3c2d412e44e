package wire

import (
	"context"
	"fmt"
	"io"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
)

var _ result.LocalInfileSink = (*resultWriter)(nil)

// LocalInfile asks the client for a file (LOAD DATA LOCAL INFILE). The client
// sends it packet by packet, and an empty packet at its end.
func (w *resultWriter) LocalInfile(ctx context.Context, name string) (result.LocalFile, error) {
	c := w.c
	if w.file != nil { // of a statement before, in the same packet
		w.file.skip()
	}
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
	w.file = &localFile{w: w, ctx: ctx}
	return w.file, nil
}

type localFile struct {
	w    *resultWriter
	ctx  context.Context // of the statement
	rest []byte
	done bool
}

// Read implements result.LocalFile.
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
	if err := c.awaitPacket(f.ctx, c.readTimeout); err != nil {
		if f.ctx.Err() == nil {
			f.done, f.w.ioErr = true, fmt.Errorf("local file: %w", err)
		}
		return err
	}
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

// Close implements result.LocalFile. What the client still sends is read by skip, once the statement has ended and
// its locks are free.
func (f *localFile) Close() error { return nil }

// skip reads what the client still sends: it expects no answer before the end.
func (f *localFile) skip() {
	f.ctx = f.w.c.ctx
	for !f.done {
		if err := f.next(); err != nil {
			f.w.ioErr = err
			return
		}
	}
}
