package gms

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// userLockNameBytes is the longest name of a user lock (MariaDB's NAME_LEN).
const userLockNameBytes = 192

// longestUserLockWait stands for a timeout that is longer (MariaDB: a year).
const longestUserLockWait = 365 * 24 * time.Hour

// lockFunctions are GET_LOCK and its kin.
func (e *Engine) lockFunctions() []*function.Native {
	return []*function.Native{
		{Name: "get_lock", MinArgs: 2, MaxArgs: 2, Typ: types.Int32, Call: e.getLock},
		{Name: "release_lock", MinArgs: 1, MaxArgs: 1, Typ: types.Int32, Call: e.releaseLock},
		{Name: "release_all_locks", Typ: types.Uint32, Call: func(c *sql.Context, _ []any) (any, error) {
			return uint32(sessionOf(c).UserLocks.ReleaseAll()), nil
		}},
		{Name: "is_free_lock", MinArgs: 1, MaxArgs: 1, Typ: types.Int32, Call: func(c *sql.Context, args []any) (any, error) {
			name, err := lockName("is_free_lock", args[0])
			if err != nil || name == "" {
				return nil, err
			}
			if _, used := sessionOf(c).UserLocks.Holder(name); used {
				return int32(0), nil
			}
			return int32(1), nil
		}},
		{Name: "is_used_lock", MinArgs: 1, MaxArgs: 1, Typ: types.Int32, Call: func(c *sql.Context, args []any) (any, error) {
			name, err := lockName("is_used_lock", args[0])
			if err != nil || name == "" {
				return nil, err
			}
			if id, used := sessionOf(c).UserLocks.Holder(name); used {
				return int32(id), nil
			}
			return nil, nil
		}},
	}
}

// lockName is the name of a lock; empty for NULL and ”, for which all these functions are NULL.
func lockName(function string, arg any) (string, error) {
	var name string
	switch v := arg.(type) {
	case nil:
		return "", nil
	case string:
		name = v
	case []byte:
		name = string(v)
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		return "", mysqlerr.New(mysqlerr.IllegalParameterDataType, "int", function)
	case float32, float64:
		return "", mysqlerr.New(mysqlerr.IllegalParameterDataType, "double", function)
	default:
		return "", mysqlerr.New(mysqlerr.IllegalParameterDataType, "decimal", function)
	}
	if len(name) > userLockNameBytes {
		return "", mysqlerr.New(mysqlerr.TooLongIdent, strings.ToValidUTF8(name[:97], "")+"...")
	}
	return name, nil
}

// getLock is GET_LOCK(name, seconds): 1, 0 after the timeout, NULL without a name or a timeout.
func (e *Engine) getLock(c *sql.Context, args []any) (any, error) {
	name, err := lockName("get_lock", args[0])
	if err != nil || name == "" {
		return nil, err
	}
	seconds := -1.0
	if args[1] != nil {
		v, _, err := types.Float64.Convert(c, args[1])
		if err != nil {
			c.Warn(int(mysqlerr.TruncatedWrongValue), "%s", mysqlerr.New(mysqlerr.TruncatedWrongValue, "DOUBLE", args[1]).Message)
		}
		seconds, _ = v.(float64)
	}
	if seconds < 0 {
		text := args[1]
		if text == nil {
			text = "NULL"
		}
		c.Warn(int(mysqlerr.WrongValueForType), "%s", mysqlerr.New(mysqlerr.WrongValueForType, "timeout", text, "get_lock").Message)
		return nil, nil
	}
	timeout := longestUserLockWait
	if seconds < timeout.Seconds() {
		timeout = time.Duration(seconds * float64(time.Second))
	}
	ok, err := sessionOf(c).UserLocks.Acquire(c, name, timeout)
	if err != nil {
		return nil, err
	}
	if ok {
		return int32(1), nil
	}
	return int32(0), nil
}

// releaseLock is RELEASE_LOCK(name): 1, 0 if another session has the lock, NULL if nobody has.
func (e *Engine) releaseLock(c *sql.Context, args []any) (any, error) {
	name, err := lockName("release_lock", args[0])
	if err != nil || name == "" {
		return nil, err
	}
	released, held := sessionOf(c).UserLocks.Release(name)
	switch {
	case released:
		return int32(1), nil
	case held:
		return int32(0), nil
	}
	return nil, nil
}
