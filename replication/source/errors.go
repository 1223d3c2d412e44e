package source

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/gtid"
)

// Classes of Error.
var (
	// ErrUnknownFile: the file is not in the index.
	ErrUnknownFile = errors.New("unknown binary log file")
	// ErrPosition: the position is outside of the file or not at an event.
	ErrPosition = errors.New("impossible position")
	// ErrPurged: what the replica needs was purged.
	ErrPurged = errors.New("needed events were purged")
	// ErrDiverged: the replica's GTID is not in the log.
	ErrDiverged = errors.New("GTID is not in the binary log")
	// ErrHole: the replica's GTID is in a hole of the log and gtid_strict_mode is set.
	ErrHole = errors.New("GTID is in a hole of the binary log")
	// ErrReset: the log was replaced by an empty one (RESET MASTER).
	ErrReset = errors.New("binary log was reset")
	// ErrChecksum: the replica does not know checksums.
	ErrChecksum = errors.New("replica without checksums")
	// ErrRead: the log could not be read.
	ErrRead = errors.New("binary log cannot be read")
)

// Error ends a dump for good: the replica has to be told
// ER_MASTER_FATAL_ERROR_READING_BINLOG (1236) with Message, which has MariaDB's
// wording, and does not reconnect. Any other error of Dump comes from the
// connection, the context, or the log being closed, and needs no reply.
type Error struct {
	Message string
	Class   error // one of the classes above; errors.Is finds it
	Cause   error // may be nil
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %v", e.Message, e.Cause)
	}
	return e.Message
}

// Unwrap gives class and cause.
func (e *Error) Unwrap() []error {
	if e.Cause != nil {
		return []error{e.Class, e.Cause}
	}
	return []error{e.Class}
}

// notInBinlog is MariaDB's message for a GTID that is missing. last is the
// domain's last GTID in the log.
func notInBinlog(g, last gtid.GTID) *Error {
	msg := fmt.Sprintf("Error: connecting slave requested to start from GTID %s, which is not in the master's binlog", g)
	if last.Seq >= g.Seq {
		msg += ". Since the master's binlog contains GTIDs with higher sequence numbers, it probably means that the slave has diverged due to executing extra erroneous transactions"
	}
	return &Error{Message: msg, Class: ErrDiverged}
}

func inHole(g gtid.GTID) *Error {
	return &Error{
		Message: fmt.Sprintf("The binlog on the master is missing the GTID %s requested by the slave (even though both a prior and a subsequent sequence number does exist), and GTID strict mode is enabled", g),
		Class:   ErrHole,
	}
}
