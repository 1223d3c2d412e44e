package applying

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/replication/replica/apply"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// BenchmarkApply is the time for a group, on a file system in memory.
func BenchmarkApply(b *testing.B) {
	for _, w := range []struct{ name, statement string }{
		{"update", "UPDATE d.keyed SET k=k+1 WHERE id=%d"},
		{"update-one", "UPDATE d.keyed SET k=k+1 WHERE id=7"},
		{"insert", "INSERT INTO d.keyed (k, c) VALUES (%d, 'abcdefghijklmnopqrstuvwxyz')"},
		// sysbench's oltp_write_only
		{"write-only", "BEGIN; UPDATE d.keyed SET k=k+1 WHERE id=%[1]d; UPDATE d.keyed SET c='bcdefghijklmnopqrstuvwxyz' WHERE id=%[2]d; DELETE FROM d.keyed WHERE id=%[3]d; " +
			"INSERT INTO d.keyed (id, k, c) VALUES (%[3]d, %[1]d, 'abcdefghijklmnopqrstuvwxyz'); COMMIT"},
	} {
		b.Run(w.name, func(b *testing.B) {
			source, target, from := pair(b)
			source.exec("USE d")
			source.exec("INSERT INTO keyed SELECT seq, seq, 'text' FROM seq_1_to_1000")
			for i := range b.N + 1 {
				q := w.statement
				switch w.name {
				case "update-one":
				case "write-only":
					q = fmt.Sprintf(q, 1+i*7919%1000, 1+i*104729%1000, 1+i*1299709%1000)
				default:
					q = fmt.Sprintf(q, 1+i*7919%1000)
				}
				for one := range strings.SplitSeq(q, "; ") {
					source.exec(one)
				}
			}
			parts, _ := source.parts(from)
			applyAll(b, target, parts[:1], apply.Options{})
			parts = parts[1:]
			b.ReportAllocs()
			b.ResetTimer()
			a := target.applier(&reports{}, apply.Options{})
			require.ErrorIs(b, a.Run(context.Background(), func(context.Context) (*primary.Part, error) {
				if len(parts) == 0 {
					return nil, io.EOF
				}
				defer func() { parts = parts[1:] }()
				return parts[0], nil
			}), io.EOF)
			require.NoError(b, a.Close())
			b.StopTimer()
			requireEqual(b, source, target)
		})
	}
}
