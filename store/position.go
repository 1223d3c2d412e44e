package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/commit/protocol/twopc"
)

// PositionAuto, as Options.PositionIn, is an engine that takes part in the transaction anyhow.
const PositionAuto = "auto"

// positionIn is where the table of replication positions is; nil if there is none.
func (o *Options) positionIn() (*twopc.PositionIn, error) {
	switch {
	case o.PositionIn == "":
		return nil, nil // no table is not an error
	case strings.EqualFold(o.PositionIn, PositionAuto):
		return &twopc.PositionIn{Auto: true}, nil
	}
	var names []string
	for i, kind := range o.Engines {
		if kind.Volatile() {
			continue
		}
		if strings.EqualFold(o.PositionIn, kind.Dir()) || strings.EqualFold(o.PositionIn, kind.Name()) {
			return &twopc.PositionIn{Place: i}, nil
		}
		names = append(names, kind.Dir())
	}
	return nil, &OpenError{Dir: o.Dir, Op: "keep replication positions in", Kind: ErrNoEngine, Unchanged: true,
		Err:  fmt.Errorf("there is no %q that keeps its files", o.PositionIn),
		Hint: fmt.Sprintf("gtid_pos_in_engine can be %s or %s", strings.Join(names, ", "), PositionAuto)}
}

// checkPosition refuses a table of replication positions where nothing would need it.
func (o *Options) checkPosition(name protocol.Name) error {
	if o.PositionIn == "" || name == protocol.TwoPC || name == protocol.TwoPCEager {
		return nil
	}
	return &OpenError{Dir: o.Dir, Op: "keep replication positions in", Kind: ErrOption, Unchanged: true,
		Err:  errors.New("gtid_pos_in_engine is for the commit protocols 2pc and 2pc-eager; with " + string(name) + " the position is the log itself"),
		Hint: "start the server without --gtid-pos-in-engine, or with --commit-protocol=2pc and an empty directory"}
}

// PositionStats count what the table of replication positions has cost; without one there is nothing to count.
func (s *Store) PositionStats() twopc.PositionStats {
	if s.protocol == nil {
		return twopc.PositionStats{}
	}
	return s.protocol.PositionStats()
}

// Replicates returns why a server over this store cannot follow a primary: only with onelog is the log the position.
func Replicates(s *Store) error {
	if s.protocol == nil {
		return nil
	}
	return errors.New("a replica needs the commit protocol onelog: start the server with an empty directory and without --commit-protocol")
}
