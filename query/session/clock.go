package session

import (
	"context"
	"time"
)

// clock is the time of a session's statements: the machine's, or what SET TIMESTAMP has fixed.
type clock struct {
	Fixed time.Time
	// began is when the running statement has begun, or the last one.
	began time.Time
}

// Now is the time of a statement that begins now: what SET TIMESTAMP has fixed, or the clock.
func (k *clock) Now() time.Time {
	if !k.Fixed.IsZero() {
		return k.Fixed
	}
	return time.Now()
}

// Begin is the time of the statement that ctx belongs to, or of one that begins now: @@timestamp is that time in it, however late it is read.
func (k *clock) Begin(ctx context.Context) time.Time {
	k.began = k.of(ctx)
	return k.began
}

// of is the time of the statement that ctx belongs to, which NOW() yields and the events of the statement carry:
// a replica that runs a definition again (ADD COLUMN ... DEFAULT NOW()) takes the time from there.
func (k *clock) of(ctx context.Context) time.Time {
	if c, ok := ctx.(statementContext); ok {
		return c.QueryTime()
	}
	return k.Now()
}

// statementContext is the context of a statement that the SQL engine runs.
type statementContext interface{ QueryTime() time.Time }

// fix is SET TIMESTAMP; 0, and what is cut to it, lets the clock run again. As in MariaDB, the value is cut to microseconds after the
// multiplication: .3 are 300000 of them, though the nearest double is a little less.
func (k *clock) fix(seconds float64) {
	k.Fixed = time.Time{}
	if micros := int64(seconds * 1e6); micros > 0 {
		k.Fixed = time.UnixMicro(micros)
	}
}

// shown is the value of @@timestamp.
func (k *clock) shown() any {
	at := k.Fixed
	if at.IsZero() {
		at = k.began
	}
	if at.IsZero() {
		at = time.Now()
	}
	return float64(at.UnixMicro()) / 1e6
}
