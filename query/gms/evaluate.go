package gms

import (
	"context"
	"fmt"
	"time"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// UnixTime evaluates a date expression; false if it is no date (before which there is nothing).
func (s *Session) UnixTime(ctx context.Context, expr string) (time.Time, bool, error) {
	rows, err := s.queryRows(s.newContext(ctx, expr), "SELECT UNIX_TIMESTAMP(CAST(CONCAT("+expr+"\n) AS DATETIME))") // the text may end with a comment
	if err != nil {
		return time.Time{}, false, err
	}
	if len(rows) != 1 || rows[0][0] == nil {
		return time.Time{}, false, nil
	}
	var seconds float64
	if _, err := fmt.Sscan(fmt.Sprint(rows[0][0]), &seconds); err != nil {
		return time.Time{}, false, mysqlerr.New(mysqlerr.WrongArguments, "PURGE LOGS BEFORE")
	}
	return time.Unix(int64(seconds), 0), seconds > 0, nil
}
