package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/mysql"
)

// ackReader reads a connection while its goroutine writes a dump to it: the acknowledgements of a semi-synchronous replica. It
// has a goroutine from start to stop, and cancels the dump when the connection has ended or says something else.
//
// The goroutine uses the buffered reader of the connection and its read deadline, which nobody else uses during a dump.
type ackReader struct {
	c      *conn
	ctx    context.Context // of the dump
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the goroutine has ended; nil if there is none
	err    error         // why it ended before stop; to be read after done
}

// ackMax is how long an acknowledgement can be: a file's name has at most 512 bytes (FN_REFLEN).
const ackMax = 1 + 8 + 512

// start begins to read; receive is called with every acknowledgement.
func (a *ackReader) start(receive func(file string, offset uint64) error) {
	c := a.c
	if err := c.setReadDeadline(0); err != nil {
		a.cancel(err)
		return
	}
	c.timed.during = a.ctx
	a.done = make(chan struct{})
	go func() {
		defer close(a.done)
		if err := a.read(receive); a.ctx.Err() == nil {
			a.err = err
			a.cancel(err)
		}
	}()
}

// stop ends reading, and returns why the replica or its connection has ended the dump; nil if they have not.
func (a *ackReader) stop() error {
	if a.done == nil {
		return nil
	}
	a.cancel(nil)
	a.c.timed.rouse()
	<-a.done
	a.c.timed.during = nil
	return a.err
}

func (a *ackReader) read(receive func(file string, offset uint64) error) error {
	for {
		payload, err := a.packet()
		if err != nil {
			return err
		}
		if len(payload) == 1 && payload[0] == mysql.COM_QUIT {
			a.c.log.Info("slave IO thread has stopped")
			return errQuit
		}
		file, offset, err := parseAck(payload)
		if err == nil {
			err = receive(file, offset)
		}
		if err != nil {
			a.c.log.Warn("the acknowledgement of a semi-synchronous replica is wrong: its connection is closed", "err", err)
			return err
		}
		if _, err := a.c.br.Discard(4 + len(payload)); err != nil {
			return err
		}
	}
}

// packet waits for a packet, and returns its payload without taking it from the reader: it is valid until Discard.
func (a *ackReader) packet() ([]byte, error) {
	br := a.c.br
	head, err := br.Peek(4)
	if err != nil {
		return nil, err
	}
	n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
	if n == 0 || n > ackMax || head[3] != 0 {
		return nil, fmt.Errorf("%w: %d bytes with the number %d during a dump", errNoAck, n, head[3])
	}
	all, err := br.Peek(4 + n)
	if err != nil {
		return nil, unexpectedEOF(err)
	}
	return all[4:], nil
}

var errNoAck = errors.New("Read semi-sync reply magic number error") // MariaDB's words

// parseAck decodes an acknowledgement: a byte, the offset in 8 bytes, little endian, and the file's name.
func parseAck(b []byte) (file string, offset uint64, err error) {
	if len(b) < 1+8+1 || len(b) > ackMax || b[0] != semiSyncMagic {
		return "", 0, fmt.Errorf("%w: %d bytes that begin with %x", errNoAck, len(b), b[:min(len(b), 1)])
	}
	return string(b[9:]), binary.LittleEndian.Uint64(b[1:]), nil
}
