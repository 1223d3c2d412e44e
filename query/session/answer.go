package session

import (
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/result"
)

// EndStatus is what ends a result: the session's status, and whether another one follows.
func (s *Session) EndStatus(more bool) result.Status {
	st := result.Status{Flags: s.StatusFlags(), Warnings: s.Warnings.Own()}
	if more {
		st.Flags |= mysql.SERVER_MORE_RESULTS_EXISTS
	}
	return st
}

// SendOK completes an OK with the session's status and sends it.
func (s *Session) SendOK(sink result.Sink, ok result.OK, more bool) error {
	st := s.EndStatus(more)
	ok.Status, ok.Warnings = st.Flags, st.Warnings
	return sink.OK(ok)
}
