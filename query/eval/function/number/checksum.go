package number

import (
	"hash/crc32"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

var checksums = []eval.Def{
	{Name: "CRC32", Min: 1, Max: 2, Bind: checksum("crc32", crc32.IEEETable)},
	{Name: "CRC32C", Min: 1, Max: 2, Bind: checksum("crc32c", crc32.MakeTable(crc32.Castagnoli))},
}

// checksum binds CRC32(x) and CRC32(sum, x), which goes on from the checksum of what is before x.
func checksum(name string, table *crc32.Table) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		t := types.LongType(10)
		t.Unsigned = true
		if len(args) == 1 {
			return eval.Map1(name, t.NullIf(args[0].Type), func(_ *eval.Frame, s []byte) (int64, bool) {
				return int64(crc32.Checksum(s, table)), false
			}, b.ToText(args[0])), nil
		}
		return eval.Map2(name, t.NullIf(args[0].Type, args[1].Type), func(_ *eval.Frame, sum int64, s []byte) (int64, bool) {
			return int64(crc32.Update(uint32(sum), table, s)), false
		}, b.ToInt(args[0]), b.ToText(args[1])), nil
	}
}
