package twopc

import (
	"errors"
	"fmt"
	"io"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// finder looks for what tells one transaction from the others, in its events.
type finder struct {
	xid uint64
	// tables are the ids of the tables whose rows it changes; catalog: it changes definitions.
	tables  []uint64
	catalog bool
}

// events looks through the events of a transaction in memory.
func (f *finder) events(b []byte) error {
	for len(b) > 0 {
		ev, rest, err := event.Next(b)
		if err != nil {
			return err
		}
		if err := f.event(ev); err != nil {
			return err
		}
		b = rest
	}
	return nil
}

// event looks at one event of a transaction.
func (f *finder) event(ev []byte) error {
	switch event.Type(ev[4]) {
	case event.XID, event.QueryEvent, event.TableMap, event.Ignorable:
	default:
		return nil
	}
	decoded, err := event.Decode(ev)
	if err != nil {
		return err
	}
	switch body := decoded.Body.(type) {
	case *event.Xid:
		f.xid = body.XID
	case *event.Query:
		if body.XID != 0 {
			f.xid = body.XID
		}
	case *event.TableMapInfo:
		if body.TableID != event.DummyTableID {
			f.tables = append(f.tables, body.TableID)
		}
	case *event.Private:
		switch body.Kind {
		case event.PrivateCatalog:
			f.catalog = true
		case event.PrivateLocal:
			outer := f.xid
			if err := f.events(body.Payload); err != nil {
				return err
			}
			if outer != 0 {
				f.xid = outer
			}
		}
	}
	return nil
}

// group is a transaction that was found in the binary log.
type group struct {
	finder
	end  logpos.Pos
	gtid gtid.GTID // the zero value for one that replicas do not see
}

// scanner finds the transactions of a binary log, in order.
type scanner struct {
	reader *binlog.Reader
	groups binlog.Groups
	found  group
	// checkpoint is the file that the last BINLOG_CHECKPOINT event names: recovery needs none before.
	checkpoint string
}

// next returns the next transaction; io.EOF at the end of the log.
func (s *scanner) next() (*group, error) {
	for {
		ev, at, err := s.reader.NextNoWait()
		if errors.Is(err, io.EOF) && s.groups.Open {
			return nil, fmt.Errorf("the log ends inside a transaction, at %s", at)
		}
		if err != nil {
			return nil, err
		}
		ended, err := s.event(ev)
		if err != nil {
			return nil, fmt.Errorf("event at %s: %w", at, err)
		}
		if ended {
			s.found.end = at.Plus(len(ev))
			found := s.found
			s.found = group{}
			return &found, nil
		}
	}
}

func (s *scanner) event(ev []byte) (ended bool, err error) {
	inside := s.groups.Open
	if ended, err = s.groups.Next(ev); err != nil {
		return false, err
	}
	switch {
	case inside:
		if err := s.found.event(ev); err != nil {
			return false, err
		}
		s.found.gtid = s.groups.GTID
		return ended, nil
	case event.Type(ev[4]) == event.BinlogCheckpoint:
		decoded, err := event.Decode(ev)
		if err != nil {
			return false, err
		}
		if c, ok := decoded.Body.(*event.Checkpoint); ok {
			s.checkpoint = c.File
		}
	case event.IsPrivate(ev):
		decoded, err := event.Decode(ev)
		if err != nil {
			return false, err
		}
		if p, ok := decoded.Body.(*event.Private); ok && p.Kind == event.PrivateLocal {
			return true, s.found.event(ev)
		}
	}
	return false, nil
}
