package event

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/gtid"
)

// MySQLGTIDInfo is the event that a group of a MySQL with gtid_mode=ON begins with.
type MySQLGTIDInfo struct {
	Flags byte // 1: the group may hold statements
	GTID  gtid.MySQL
}

// PreviousGTIDs is near the start of a log file of a MySQL: what was logged before the file.
type PreviousGTIDs struct{ Set gtid.Set }

// decodePreviousGTIDs leaves a set with tags as it is: whoever reads the log need not know it.
func decodePreviousGTIDs(b []byte) (any, error) {
	set, err := gtid.DecodeSet(b)
	switch {
	case errors.Is(err, gtid.ErrTagged):
		return &Opaque{Data: b}, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return &PreviousGTIDs{Set: set}, nil
}

// mysqlGTIDSize is what the flags, the UUID and the number take. What MySQL writes behind them (clocks of its parallel replicas, times, sizes) is not read.
const mysqlGTIDSize = 1 + 16 + 8

func decodeMySQLGTID(b []byte) (*MySQLGTIDInfo, error) {
	if len(b) < mysqlGTIDSize {
		return nil, tooShort(MySQLGTID, b)
	}
	g := &MySQLGTIDInfo{Flags: b[0], GTID: gtid.MySQL{Source: gtid.UUID(b[1:17]), Number: binary.LittleEndian.Uint64(b[17:])}}
	if !g.GTID.Valid() {
		return nil, fmt.Errorf("%w: MySQL GTID %s", ErrMalformed, g.GTID)
	}
	return g, nil
}
