package commit

import (
	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Log is the log as the pipeline sees it: it gives groups their places, in order, and makes them durable. BinaryLog
// is the one in files; one that waits for other machines in Write.Finish fits as well.
//
// An error of any method but Reserve ends the process, and so does one of Reserve that is binlog.ErrSyncFailed.
type Log interface {
	// Room is how many bytes of requests have their place for certain; see queue. It counts on Reserve being called.
	Room() int64
	// Reserve makes room for so many bytes. An error leaves the log as it was, and then Reserve(Room()) still works.
	Reserve(bytes int64) error
	// Issue gives groups the next place, and they are durable when the Write is finished. The caller vouches
	// for their GTIDs, in order. Groups may be issued before those before them are finished.
	Issue(groups []byte, gtids []gtid.GTID, pad bool) (start, end logpos.Pos, w Write, err error)
	// Padding is how much room has to be claimed for Issue with pad, which wastes some space to spare the device some
	// work; 0 means that this is no gain for so many bytes. inFlight: others may be issued before they are finished.
	Padding(bytes int, inFlight bool) int64
	// Append is Issue for groups that only a later Sync makes durable.
	Append(groups []byte) (start, end logpos.Pos, err error)
	// Sync makes durable what was appended.
	Sync() error
	// End is where the next group begins; everything before Synced is durable.
	End() logpos.Pos
	Synced() logpos.Pos
	// SetVisible lets readers of the log read up to p.
	SetVisible(p logpos.Pos)
	// Offer lets those read up to p, before others, whose copies are waited for (SemiSync).
	Offer(p logpos.Pos)
	// StateClone is the GTID state at the end.
	StateClone() *gtid.State
}

// Write is a part of the log that has its place. Finish is called once, by any goroutine, and returns when that part is
// durable, provided that everything before it is; several may run at the same time.
type Write interface{ Finish() error }

// segmented is a log that consists of files: it can do what FLUSH BINARY LOGS, RESET MASTER and large transactions need.
type segmented interface {
	Rotate() error
	// AwaitClosed returns when all files but the last one are closed and listed.
	AwaitClosed() error
	Reset(first uint64, state *gtid.State, moved func(start logpos.Pos) error) error
	Trim(spare int64) (more bool, err error)
	AppendLarge(g binlog.LargeGroup) (start, end logpos.Pos, err error)
}

// BinaryLog is the log in binlog files.
func BinaryLog(l *binlog.Log) Log { return binaryLog{l} }

// BinaryLogWithin is BinaryLog for files whose writes take room elsewhere, too: reserve makes room there for so many bytes
// of requests. It is called before every Reserve, and before a rotation; with an error nothing changes.
func BinaryLogWithin(l *binlog.Log, reserve func(bytes int64) error) Log {
	return binaryLogWithin{binaryLog{l}, reserve}
}

type binaryLog struct{ *binlog.Log }

type binaryLogWithin struct {
	binaryLog
	reserve func(bytes int64) error
}

// Room is nothing: every request has to wait until its room is reserved.
func (l binaryLogWithin) Room() int64 { return 0 }

func (l binaryLogWithin) Reserve(bytes int64) error {
	if err := l.reserve(bytes); err != nil {
		return err
	}
	return l.binaryLog.Reserve(bytes)
}

func (l binaryLogWithin) Rotate() error {
	if err := l.reserve(0); err != nil {
		return err
	}
	return l.binaryLog.Rotate()
}

var _ segmented = binaryLog{}

// padFrom is the size, in blocks of the device, from which a group ends with padding up to the next block: writing
// the block again with the group after it would be more work for the device.
const padFrom = 4

func (l binaryLog) Padding(bytes int, inFlight bool) int64 {
	if inFlight && l.SyncMethod() == binlog.SyncDirect || bytes >= padFrom*l.WriteUnit() {
		return binlog.RoomForPadding
	}
	return 0
}

func (l binaryLog) Issue(groups []byte, gtids []gtid.GTID, pad bool) (start, end logpos.Pos, w Write, err error) {
	issued, err := l.IssueGroups(groups, gtids, pad)
	if err != nil {
		return start, end, nil, err
	}
	return issued.Start, issued.End, issued, nil
}
