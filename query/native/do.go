package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/google/uuid"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Do implements eval.SessionInfo.
func (f functions) Do(fr *eval.Frame, what string, args []types.Value) (types.Value, error) {
	switch what {
	case "LAST_INSERT_ID":
		f.now.lastInsertID = givenID{uint64(args[0].Int), true}
		f.s.Rest.SetLastInsertID(uint64(args[0].Int))
		return args[0], nil
	case "UUID":
		return types.Value{Text: []byte(uuid.NewString())}, nil
	case "SYS_GUID":
		id := uuid.New()
		return types.Value{Text: fmt.Appendf(nil, "%X", id[:])}, nil
	case "UUID_SHORT":
		return types.Value{Int: int64(f.s.Server.ShortID())}, nil
	case "SLEEP":
		return types.Value{}, f.sleep(args[0].Float)
	case "LOAD_FILE":
		return f.loadFile(fr, string(args[0].Text))
	case "MASTER_POS_WAIT":
		return f.positionWait(fr, args)
	case "BINLOG_GTID_POS":
		pos, ok := f.s.Rest.GTIDPosAt(string(args[0].Text), uint64(args[1].Int))
		return types.Value{Text: []byte(pos), Null: !ok}, nil
	case "MASTER_GTID_WAIT":
		limited := len(args) > 1 && !args[1].Null && args[1].Float >= 0
		seconds := 0.0
		if limited {
			seconds = args[1].Float
		}
		ok, err := f.s.Rest.WaitGTIDs(f.now.ctx, string(args[0].Text), seconds, limited)
		if !ok && err == nil {
			return types.Value{Int: -1}, nil
		}
		return types.Value{}, err
	}
	return f.lock(what, args)
}

// lock is a function about the locks of GET_LOCK.
func (f functions) lock(what string, args []types.Value) (types.Value, error) {
	locks := &f.s.UserLocks
	yes, no, null := types.Value{Int: 1}, types.Value{}, types.Value{Null: true}
	if what == "RELEASE_ALL_LOCKS" {
		return types.Value{Int: int64(locks.ReleaseAll())}, nil
	}
	name := string(args[0].Text)
	switch what {
	case "GET_LOCK":
		ok, err := locks.Acquire(f.now.ctx, name, waitOf(args[1].Float))
		switch {
		case ok:
			return yes, nil
		case err != nil && f.now.ctx.Err() != nil && !killed(f.now.ctx):
			return null, nil // the statement ends, but that is no error of the function
		}
		return no, err
	case "RELEASE_LOCK":
		switch released, held := locks.Release(name); {
		case released:
			return yes, nil
		case held:
			return no, nil
		}
		return null, nil
	case "IS_FREE_LOCK":
		if _, used := locks.Holder(name); used {
			return no, nil
		}
		return yes, nil
	case "IS_USED_LOCK":
		if id, used := locks.Holder(name); used {
			return types.Value{Int: int64(id)}, nil
		}
		return null, nil
	}
	return null, mysqlerr.NotYet(what)
}

// longestWait stands for all that is longer.
const longestWait = 365 * 24 * time.Hour

// waitOf is so many seconds.
func waitOf(seconds float64) time.Duration {
	if seconds >= longestWait.Seconds() || math.IsNaN(seconds) {
		return longestWait
	}
	return time.Duration(seconds * float64(time.Second))
}

// sleep waits; it fails if the statement is to end.
func (f functions) sleep(seconds float64) error {
	f.s.Proc.SetState("Query", "User sleep")
	defer f.s.Proc.SetState("Query", "starting")
	timer := time.NewTimer(waitOf(seconds))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-f.now.ctx.Done():
		return context.Cause(f.now.ctx)
	}
}

// positionWait is MASTER_POS_WAIT(file, position[, timeout[, connection]]): NULL if the place does not come, as no SQL thread runs.
func (f functions) positionWait(fr *eval.Frame, args []types.Value) (types.Value, error) {
	connection, seconds := f.s.Vars.Str("default_master_connection"), 0.0
	if len(args) > 2 {
		seconds = args[2].Float
	}
	if len(args) > 3 {
		connection = string(args[3].Text)
	}
	moves, ok, err := f.s.Rest.WaitPlace(f.now.ctx, connection, string(args[0].Text), args[1].Int, seconds)
	var no *mysqlerr.Error
	if errors.As(err, &no) && no.Number == mysqlerr.NoMasterConnection {
		fr.Diag.Warnf(no.Number, "%s", no.Message)
		err = nil
	}
	return types.Value{Int: moves, Null: !ok}, err
}

// loadFile is LOAD_FILE: NULL for a file that may not be read, and for one that is larger than max_allowed_packet.
func (f functions) loadFile(fr *eval.Frame, name string) (types.Value, error) {
	null := types.Value{Null: true}
	file := f.s.Rest.OpenFile(name)
	if file == nil {
		return null, nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.IsDir() {
		return null, nil // as MariaDB
	}
	if uint64(info.Size()) > fr.MaxPacket {
		fr.Warn(mysqlerr.WarnAllowedPacketOverflowed, "load_file", fr.MaxPacket)
		return null, nil
	}
	if !fr.Fits("load_file", uint64(info.Size())) {
		return null, nil
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(file, data)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return null, nil // as MariaDB
	}
	return types.Value{Text: data[:n]}, nil
}

// killed reports whether the connection is to end.
func killed(ctx context.Context) bool {
	var e *mysqlerr.Error
	return !errors.As(context.Cause(ctx), &e) || e.Number == mysqlerr.ConnectionKilled
}
