package replica

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// Numbers of MariaDB's errors and notes.
const (
	diskFull          = 1021 // ER_DISK_FULL
	misconfigured     = 1200 // ER_BAD_SLAVE
	badMasterInfo     = 1201 // ER_MASTER_INFO
	running           = 1198 // ER_SLAVE_MUST_STOP
	wrongArguments    = 1210 // ER_WRONG_ARGUMENTS
	notSupportedYet   = 1235 // ER_NOT_SUPPORTED_YET
	alreadyRunning    = 1254 // ER_SLAVE_WAS_RUNNING
	alreadyStopped    = 1255 // ER_SLAVE_WAS_NOT_RUNNING
	badUntil          = 1277 // ER_BAD_SLAVE_UNTIL_COND
	untilNeedsSkip    = 1278 // ER_MISSING_SKIP_SLAVE
	untilIgnored      = 1279 // ER_UNTIL_COND_IGNORED
	badRelayLog       = 1380 // ER_RELAY_LOG_INIT
	tooLong           = 1470 // ER_WRONG_STRING_LENGTH
	fatal             = 1593 // ER_SLAVE_FATAL_ERROR
	ownServerID       = 1605 // ER_SLAVE_IGNORE_SERVER_IDS
	noConnection      = 1617 // WARN_NO_MASTER_INFO
	optionIgnored     = 1618 // WARN_OPTION_IGNORED
	heartbeatRange    = 1624 // ER_SLAVE_HEARTBEAT_VALUE_OUT_OF_RANGE
	heartbeatTooShort = 1703 // ER_SLAVE_HEARTBEAT_VALUE_OUT_OF_RANGE_MIN
	heartbeatTooLong  = 1704 // ER_SLAVE_HEARTBEAT_VALUE_OUT_OF_RANGE_MAX
	delayRange        = 1729 // ER_MASTER_DELAY_VALUE_OUT_OF_RANGE
	connectionExists  = 1934 // ER_CONNECTION_ALREADY_EXISTS
	cannotStartStop   = 1936 // ER_CANT_START_STOP_SLAVE
	started           = 1937 // ER_SLAVE_STARTED
	stopped           = 1938 // ER_SLAVE_STOPPED
	badGTIDList       = 1941 // ER_INCORRECT_GTID_STATE
	untilNeedsGTID    = 1949 // ER_UNTIL_REQUIRES_USING_GTID
	gtidModeChanged   = 4190 // WARN_OPTION_CHANGING
	missing           = 4191 // ER_CM_OPTION_MISSING_REQUIREMENT
)

// ErrUntil is what Take returns when everything that START SLAVE UNTIL has asked for is taken.
var ErrUntil = errors.New("what START SLAVE UNTIL has asked for is there")

// errClosed is why threads end when the server does.
var errClosed = errors.New("the server ends")

// errStopped is why threads end that are stopped.
var errStopped = errors.New("the thread was stopped")

func fail(number uint16, format string, args ...any) *primary.Error {
	return &primary.Error{Number: number, Text: fmt.Sprintf(format, args...)}
}

// Note is a note or a warning of a statement.
type Note struct {
	Warning bool // not only a note
	Number  uint16
	Text    string
}

func note(number uint16, format string, args ...any) Note {
	return Note{Number: number, Text: fmt.Sprintf(format, args...)}
}

// errRunning is the error of a statement that has to wait until nothing runs.
func errRunning(name string) *primary.Error {
	return fail(running, "This operation cannot be performed as you have a running slave '%s'; run STOP SLAVE '%s' first", name, name)
}

// asThreadError is why a thread has ended, with a number in any case.
func asThreadError(err error) *primary.Error {
	var pe *primary.Error
	if errors.As(err, &pe) {
		return pe
	}
	return &primary.Error{Number: fatal, Text: "Fatal error: " + err.Error(), Cause: err}
}

// causeText is the cause of an error for the server's log: its text alone, where a logger would also write the stacks that some errors hold.
func causeText(e *primary.Error) string {
	if e.Cause == nil {
		return ""
	}
	return e.Cause.Error()
}
