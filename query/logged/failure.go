package logged

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Worded is an error of a statement as the SQL thread of a replica reports it: the number stays.
func Worded(err error, q *event.Query) *mysqlerr.Error {
	e := errorOf(err)
	return mysqlerr.Newf(e.Number, "Error '%s' on query. Default database: '%s'. Query: '%s'", e.Message, q.Schema, q.SQL).WithCause(err)
}

func errorOf(err error) *mysqlerr.Error {
	var e *mysqlerr.Error
	if errors.As(err, &e) {
		return e
	}
	return mysqlerr.Newf(mysqlerr.UnknownError, "%v", err)
}

// CutShort is the error of a statement that was ended in the middle on the primary (its thread was killed, its server stopped), of which nobody
// knows how much it did there; nil for other statements. Such a one is not run.
func CutShort(q *event.Query) *mysqlerr.Error {
	switch q.ErrorCode {
	case mysqlerr.QueryInterrupted, mysqlerr.ServerShutdown, mysqlerr.NetReadError, mysqlerr.NetErrorOnWrite, mysqlerr.NewAbortingConnection:
	default:
		return nil
	}
	return mysqlerr.Newf(q.ErrorCode, "Query partially completed on the master (error on master: %d) and was aborted. There is a chance that your "+
		"master is inconsistent at this point. If you are sure that your master is ok, run this query manually on the slave and then restart the "+
		"slave with SET GLOBAL SQL_SLAVE_SKIP_COUNTER=1; START SLAVE; . Query: '%s'", q.ErrorCode, q.SQL)
}

// sameError reports whether an error is that of the primary. A duplicate key has two numbers.
func sameError(want, got uint16) bool {
	duplicate := func(number uint16) bool { return number == mysqlerr.DupEntry || number == mysqlerr.DupEntryWithKeyName }
	return want == got || duplicate(want) && duplicate(got)
}

// xaDeadlock is MariaDB's number of a deadlock in an XA transaction.
const xaDeadlock uint16 = 1614

// byOthers are errors of the primary that other transactions of it were the reason of: here the statement may succeed.
func byOthers(number uint16) bool {
	switch number {
	case mysqlerr.LockWaitTimeout, mysqlerr.LockDeadlock, xaDeadlock:
		return true
	}
	return false
}

// Judge compares the error of a statement with that which it had on the primary: nil if they are the same, or if it is one to go on after. Else it
// is the error that the SQL thread stops with.
func Judge(err error, q *event.Query, skip SkipErrors) *mysqlerr.Error {
	var got *mysqlerr.Error
	number, text := uint16(0), "no error"
	if err != nil {
		got = errorOf(err)
		number, text = got.Number, got.Message
	}
	want := q.ErrorCode
	switch {
	case err == nil && want == 0, err != nil && skip.Has(number) && !byOthers(number) && number != mysqlerr.DiskFull, err != nil && want != 0 && sameError(want, number):
		return nil
	case want != 0 && (byOthers(want) || skip.Has(want)) && err == nil:
		return nil
	case want != 0 && !byOthers(want) && !skip.Has(want):
		return mysqlerr.Newf(cmp.Or(number, want), "Query caused different errors on master and slave.     Error on master: message (format)='%s' error code=%d ; "+
			"Error on slave: actual message='%s', error code=%d. Default database: '%s'. Query: '%s'",
			mysqlerr.Format(want), want, text, number, q.Schema, q.SQL).WithCause(err)
	}
	return Worded(err, q)
}

// SkipErrors are the errors that do not stop the SQL thread: slave_skip_errors. The zero value has none.
type SkipErrors struct {
	all  bool
	list []uint16
}

// ddlExist are what a definition fails with where it was run before: ddl_exist_errors.
var ddlExist = []uint16{
	mysqlerr.DBCreateExists, mysqlerr.DBDropExists, mysqlerr.TableExists, mysqlerr.BadTable, mysqlerr.BadField, mysqlerr.DupFieldName,
	mysqlerr.DupKeyName, mysqlerr.MultiplePriKey, mysqlerr.CantDropFieldOrKey, mysqlerr.NoSuchTable,
}

// ParseSkipErrors reads a value of slave_skip_errors: OFF, all, or a list of numbers and ddl_exist_errors.
func ParseSkipErrors(value string) (SkipErrors, error) {
	var s SkipErrors
	for word := range strings.SplitSeq(value, ",") {
		switch word = strings.ToLower(strings.TrimSpace(word)); word {
		case "", "off":
		case "all":
			s.all = true
		case "ddl_exist_errors":
			s.list = append(s.list, ddlExist...)
		default:
			n, err := strconv.ParseUint(word, 10, 16)
			if err != nil {
				return SkipErrors{}, fmt.Errorf("slave_skip_errors: %q is no number of an error", word)
			}
			s.list = append(s.list, uint16(n))
		}
	}
	return s, nil
}

// Has reports whether an error is one of them.
func (s SkipErrors) Has(number uint16) bool { return s.all || slices.Contains(s.list, number) }
