package eval

import "github.com/duramendb/duramen/query/mysqlerr"

// roomMax is the length in bytes that texts may have which max_allowed_packet does not bound, unless that is more.
const roomMax = 64 << 20

// RoomMax is the length in bytes from which on Room refuses.
func (f *Frame) RoomMax() uint64 { return max(roomMax, f.MaxPacket) }

// Room reports whether a function may make a text of so many bytes that MariaDB does not hold against max_allowed_packet. If it may not,
// the statement fails with error 1037: there is more memory than one statement is to have.
func (f *Frame) Room(n uint64) bool {
	if n > f.RoomMax() {
		f.Fail(mysqlerr.OutOfMemory, n)
		return false
	}
	return f.charge(n)
}

// charge counts a text of so many bytes as the statement's memory. Short ones are counted together, when they are many in one row.
func (f *Frame) charge(n uint64) bool {
	if f.Charge == nil {
		return true
	}
	if f.uncounted += int64(n); f.uncounted <= charged {
		return true
	}
	n, f.uncounted = uint64(f.uncounted), 0
	err := f.Charge(int64(n))
	f.held += int64(n) // refused or not: a session counts what it refuses until it is released
	if err != nil {
		f.FailWith(err)
	}
	return err == nil
}
