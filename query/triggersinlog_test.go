package query_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/logpos"
)

// TestTriggersInTheLog: table maps say which tables have triggers, of any kind, as a MariaDB 10.11's do.
func TestTriggersInTheLog(t *testing.T) {
	s, c := withTable(t)
	for _, q := range []string{
		"CREATE TABLE log (n INT)", "CREATE TABLE loud (id INT PRIMARY KEY)", "INSERT INTO loud VALUES (1)",
		"CREATE TRIGGER said AFTER INSERT ON loud FOR EACH ROW INSERT INTO log VALUES (NEW.id)",
		"INSERT INTO loud VALUES (2)", "UPDATE loud SET id = 3 WHERE id = 1", "INSERT INTO log VALUES (7)", "DROP TRIGGER said", "INSERT INTO loud VALUES (4)",
	} {
		c.exec(q)
	}
	r, err := s.store.Log().NewReader(logpos.Pos{Segment: 1})
	require.NoError(t, err)
	defer r.Close()
	var marked []string
	for {
		ev, _, err := r.NextNoWait()
		if err != nil {
			require.True(t, errors.Is(err, io.EOF), err)
			break
		}
		e, err := event.Decode(ev)
		require.NoError(t, err)
		if m, ok := e.Body.(*event.TableMapInfo); ok && (m.Table == "log" || m.Table == "loud") {
			name := m.Table
			if m.Flags&event.TableMapFlagTriggers != 0 {
				name += "!"
			}
			marked = append(marked, name)
		}
	}
	require.Equal(t, []string{"loud", "loud!", "log", "loud!", "log", "loud"}, marked)
}
