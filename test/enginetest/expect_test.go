package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	suite "github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/queries"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer/analyzererrors"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"github.com/duramendb/duramen/query/gms/gmserr"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// suiteError gives the kind to errors for which the suite asks without asking
// the harness.
func suiteError(err error) error {
	var e *mysqlerr.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Number {
	case mysqlerr.DBAccessDenied:
		return sql.ErrDatabaseAccessDeniedForUser.Wrap(err, "", "")
	case mysqlerr.TableAccessDenied, mysqlerr.ColumnAccessDenied:
		return sql.ErrTableAccessDeniedForUser.Wrap(err, "", "")
	case mysqlerr.SpecificAccessDenied, mysqlerr.ProcAccessDenied:
		return sql.ErrPrivilegeCheckFailed.Wrap(err, "")
	case mysqlerr.OptionPreventsStatement:
		return analyzererrors.ErrReadOnlyDatabase.Wrap(err, "")
	}
	return err
}

// sent is the error as the client gets it.
func sent(err error) *mysqlerr.Error {
	var kind *goerrors.Error
	if errors.As(err, &kind) && kind.Cause() != nil {
		err = kind.Cause()
	}
	var e *mysqlerr.Error
	errors.As(err, &e)
	return e
}

// causes gives an error and all that it wraps.
func causes(err error) []error {
	var list []error
	for err != nil {
		list = append(list, err)
		switch e := err.(type) { //nolint:errorlint // unwraps step by step
		case *goerrors.Error:
			err = e.Cause()
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				list = append(list, causes(inner)...)
			}
			return list
		case sql.WrappedInsertError:
			err = e.Cause
		case sql.WrappedTypeConversionError:
			err = e.Err
		default:
			err = errors.Unwrap(err)
		}
	}
	return list
}

// EvaluateExpectedError implements ResultEvaluationHarness: either the client
// gets the text that is expected, or it gets MariaDB's words for it.
func (h *sessionHarness) EvaluateExpectedError(t *testing.T, expected string, err error) {
	t.Helper()
	e := sent(err)
	require.NotNil(t, e, "not an error of ours: %v", err)
	expected = mysqlCollations.Replace(expected)
	if e.Message == expected {
		return
	}
	for _, cause := range causes(err) {
		if cause.Error() == expected {
			return
		}
	}
	require.Equal(t, expected, e.Message)
}

// EvaluateExpectedErrorKind implements ResultEvaluationHarness: the client gets
// the number that the kind has.
func (h *sessionHarness) EvaluateExpectedErrorKind(t *testing.T, expected *goerrors.Kind, err error) {
	t.Helper()
	for _, cause := range causes(err) {
		if expected.Is(cause) {
			return
		}
	}
	e := sent(err)
	require.NotNil(t, e, "not an error of ours: %v", err)
	if n := gmserr.From(expected.New()).Number; n != mysqlerr.UnknownError && n == e.Number {
		return
	}
	t.Errorf("expected an error like %q, got %v", expected.Message, e)
}

// EvaluateQueryResults implements ResultEvaluationHarness: both sides are
// brought to the form in which a client sees values.
func (h *sessionHarness) EvaluateQueryResults(t *testing.T, expected []sql.Row, cols []*sql.Column, schema sql.Schema, actual []sql.Row, query string, _ queries.WrapBehavior) {
	t.Helper()
	if types.IsOkResultSchema(schema) && nothing(expected) {
		return // go-mysql-server has no result for some statements, the protocol an OK
	}
	show := strings.HasPrefix(strings.ToUpper(query), "SHOW ") && !strings.Contains(strings.ToUpper(query), "EVENTS")
	want, got := suite.WidenRows(t, schema, translatedRows(expected)), suite.WidenRows(t, schema, actual)
	for i := range want {
		for j := range want[i] {
			var other any
			if i < len(got) && j < len(got[i]) {
				other = got[i][j]
			}
			if check, custom := want[i][j].(suite.CustomValueValidator); custom {
				ok, err := check.Validate(other)
				require.NoError(t, err)
				require.True(t, ok, "unexpected value %v", other)
				want[i][j] = other
			}
			if raw, isText := want[i][j].(string); isText {
				if _, isTime := other.(time.Time); isTime {
					if m, err := moment(raw); err == nil {
						want[i][j] = m
					}
				}
			}
			if _, isJSON := want[i][j].(sql.JSONWrapper); isJSON {
				if raw, isText := other.(string); isText { // JSON is a text to MariaDB's clients
					if doc, _, err := types.JSON.Convert(context.Background(), raw); err == nil {
						got[i][j] = doc
					}
				}
			}
		}
	}
	wanted, given := seen(want, schema, show), seen(got, schema, show)
	if !strings.Contains(strings.ToUpper(query), "ORDER BY ") && len(expected) > 1 {
		slices.Sort(wanted)
		slices.Sort(given)
	}
	require.Equal(t, wanted, given, "unexpected result for %s", query)
	if cols != nil && !types.IsOkResultSchema(schema) && h.ran == query {
		names := func(s sql.Schema) (list []string) {
			for _, c := range s {
				list = append(list, c.Name)
			}
			return list
		}
		require.Equal(t, names(cols), names(schema), "names of columns")
	}
}

// nothing reports whether the suite expects no rows, or one without columns.
func nothing(expected []sql.Row) bool {
	return len(expected) == 0 || len(expected) == 1 && len(expected[0]) == 0
}

// seen gives rows as the client sees them.
func seen(rows []sql.Row, schema sql.Schema, zeroTimes bool) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		fields := make([]string, len(r))
		for j, v := range r {
			var col *sql.Column
			if j < len(schema) {
				col = schema[j]
			}
			fields[j] = shown(v, col, zeroTimes)
		}
		list[i] = strings.Join(fields, " | ")
	}
	return list
}

func shown(v any, col *sql.Column, zeroTimes bool) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		if v {
			return "1"
		}
		return "0"
	case []byte:
		return string(v)
	case float64:
		if col != nil && col.Type == types.Float32 {
			return strconv.FormatFloat(v, 'g', 6, 64)
		}
		return strconv.FormatFloat(v, 'g', 15, 64)
	case time.Time:
		if zeroTimes {
			return "a time"
		}
		if v.Equal(types.ZeroTime) {
			return "0000-00-00 00:00:00"
		}
		return v.UTC().Format("2006-01-02 15:04:05.999999")
	case sql.AnyWrapper:
		inner, err := sql.UnwrapAny(context.Background(), v)
		if err != nil {
			return err.Error()
		}
		return shown(inner, col, zeroTimes)
	case types.OkResult:
		info := ""
		if v.Info != nil {
			info = v.Info.String()
		}
		return fmt.Sprintf("OK %d rows, id %d %s", v.RowsAffected, v.InsertID, info)
	case sql.JSONWrapper:
		doc, err := v.ToInterface(context.Background())
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%#v", doc)
	}
	return fmt.Sprint(v)
}
