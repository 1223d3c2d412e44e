package result

import "github.com/duramendb/duramen/mysql"

// Followed is a sink that says at the end of what passes through it that another result follows, if one does.
func Followed(sink Sink, more bool) Sink {
	if !more {
		return sink
	}
	return moreSink{sink}
}

// moreSink adds the more-results flag to what passes through it.
type moreSink struct{ Sink }

// EndRows implements Sink.
func (m moreSink) EndRows(st Status) error {
	st.Flags |= mysql.SERVER_MORE_RESULTS_EXISTS
	return m.Sink.EndRows(st)
}

// OK implements Sink.
func (m moreSink) OK(ok OK) error {
	ok.Status |= mysql.SERVER_MORE_RESULTS_EXISTS
	return m.Sink.OK(ok)
}
