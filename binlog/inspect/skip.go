package inspect

import (
	"errors"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/gtid"
)

// reaches reports whether file i can hold transactions that were asked for by GTID. The GTID lists at
// the start of it and of the next one tell. That holds where the numbers of
// a server only rise, as they do unless somebody sets gtid_seq_no; logs of MariaDB are read as a whole.
func (s *shower) reaches(i int) (bool, error) {
	f := &s.o.Filter
	if len(f.GTIDs) == 0 || i+1 >= len(s.set.Files) {
		return true, nil
	}
	start, err := s.startOf(s.set.Files[i])
	if err != nil || start == nil {
		return true, err
	}
	end, err := s.startOf(s.set.Files[i+1])
	if err != nil || end == nil {
		return true, err
	}
	for _, r := range f.GTIDs {
		if between(r, start, end) {
			return true, nil
		}
	}
	return false, nil
}

// startOf is the GTID list of a file, nil if it is not one of ours, or cannot be relied on.
func (s *shower) startOf(f File) (*gtid.State, error) {
	r, err := openReader(s.set.FS, f, nil)
	if err != nil {
		if errors.Is(err, binlog.ErrCorrupt) {
			err = nil
		}
		return nil, err
	}
	state := r.State
	if !r.Ours {
		state = nil
	}
	return state, r.Close()
}

// between reports whether GTIDs of the range can lie between two states of a log.
func between(r GTIDRange, start, end *gtid.State) bool {
	for _, g := range end.List() {
		if g.Domain != r.Domain || !r.AnyServer && g.Server != r.Server {
			continue
		}
		before, known := start.Lookup(g.Domain, g.Server)
		switch {
		case known && before == g.Seq: // it wrote nothing here
		case known && before > g.Seq: // numbers went back
			return true
		case r.First <= g.Seq && (!known || r.Last > before):
			return true
		}
	}
	return false
}
