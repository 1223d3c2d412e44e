package applying

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/replication/replica/apply"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// TestStrict: groups that change one row, one after the other, with gtid_strict_mode. A transaction of this server in their domain has the next one
// refused (1950): those before it, which may be under way, are there, and nothing after it. Without strict mode it goes on.
func TestStrict(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for _, local := range []int{0, 1, 40, 99} {
			t.Run(fmt.Sprintf("strict %v, local transaction before %d", strict, local), func(t *testing.T) {
				source, target, from := pair(t)
				source.exec("INSERT INTO d.keyed (id, k, c) VALUES (1, 0, 'hot')")
				for range 99 {
					source.exec("UPDATE d.keyed SET k=k+1 WHERE id=1")
				}
				parts, _ := source.parts(from)
				require.Len(t, parts, 100)
				target.exec("SET sql_log_bin=1")
				a := target.applier(&reports{}, apply.Options{Strict: strict})
				var err error
				for i := 0; i < len(parts) && err == nil; i++ {
					if i == local {
						target.exec("SET server_id=2", "SET gtid_seq_no="+fmt.Sprint(parts[i].GTID.GTID.Seq), "INSERT INTO d.keyless VALUES (1, 'local')")
					}
					err = a.Apply(context.Background(), parts[i], false)
				}
				if underWay := a.Close(); underWay != nil { // it was before the other
					err = underWay
				}
				there := len(parts)
				if strict {
					there = local
					var why *primary.Error
					require.ErrorAs(t, err, &why)
					require.EqualValues(t, 1950, why.Number)
					g := parts[local].GTID.GTID
					require.Equal(t, fmt.Sprintf("An attempt was made to binlog GTID %s which would create an out-of-order sequence number with existing GTID 0-2-%d, and gtid strict mode is enabled",
						g, g.Seq), why.Text)
				} else {
					require.NoError(t, err)
				}
				position, rows := "|", []string(nil)
				if there > 0 {
					position, rows = parts[there-1].GTID.GTID.String()+"|", []string{fmt.Sprintf("%d|", there-1)}
				}
				require.Equal(t, position, target.query("SELECT @@gtid_slave_pos")[0])
				require.Equal(t, rows, target.query("SELECT k FROM d.keyed WHERE id=1"))
				require.Equal(t, []string{"local|"}, target.query("SELECT c FROM d.keyless"))
			})
		}
	}
}
