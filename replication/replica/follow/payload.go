package follow

import (
	"errors"
	"io"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// unfold begins to take the events of a compressed transaction, which more goes on with: they are one after the other in memory, like those of others.
func (s *stream) unfold(e *event.Event, wire int) *primary.Error {
	if s.group.ends == outside {
		return s.middle(e)
	}
	r, err := e.Body.(*event.Payload).Open(s.eventMax)
	if err != nil {
		return s.unreadable(err, "%v", err)
	}
	advance(&s.place, e.Header.LogPos)
	s.group.wire += wire
	s.payload = r
	return nil
}

// more gives the next part of the compressed transaction that is being taken, nil if there is none, or nothing more of it.
func (s *stream) more() (*primary.Part, *primary.Error) {
	for s.payload != nil {
		part, err := s.unfolded()
		if err != nil {
			s.payload.Close()
			s.payload = nil
		}
		if part != nil || err != nil {
			return part, err
		}
	}
	return nil, nil
}

// unfolded takes one event of the payload.
func (s *stream) unfolded() (*primary.Part, *primary.Error) {
	raw, err := s.payload.Next()
	switch {
	case errors.Is(err, io.EOF) && s.group.ends != outside:
		return nil, s.unreadable(nil, "a compressed transaction without its end")
	case errors.Is(err, io.EOF):
		s.payload.Close()
		s.payload = nil
		return nil, nil
	case errors.Is(err, event.ErrTooLarge):
		return nil, fail(erNetPacketTooLarge, false, err, "Got a packet bigger than 'slave_max_allowed_packet' bytes")
	case err != nil:
		return nil, s.unreadable(err, "%v", err)
	}
	inner := event.Decoder{MySQL: true} // they have no checksums: the event around them has
	e, err := inner.Decode(raw)
	if err != nil {
		return nil, s.unreadable(err, "%v", err)
	}
	e.Header.LogPos = 0 // they have no places either
	return s.content(e, 0)
}
