package ddltext

import (
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/types/temporal"
)

// InZone is a definition as a session in a time zone shows it: the literal defaults of TIMESTAMPs are moments. def itself stays as it is.
func InZone(def *catalog.TableDef, zone string) *catalog.TableDef {
	out := def
	for i := range def.Columns {
		c := &def.Columns[i]
		if c.DefaultMoment == 0 {
			continue
		}
		if out == def {
			copied := *def
			copied.Columns = append([]catalog.ColumnDef(nil), def.Columns...)
			out = &copied
		}
		ColumnInZone(&out.Columns[i], zone)
	}
	return out
}

// ColumnInZone changes a column's definition to what InZone is.
func ColumnInZone(c *catalog.ColumnDef, zone string) {
	z, err := temporal.ParseZone(zone)
	if c.DefaultMoment == 0 || err != nil {
		return
	}
	shown := temporal.Value{Packed: z.DateTime(temporal.Stamp(c.DefaultMoment)), Kind: temporal.DateTime}
	c.Default = "'" + string(shown.Append(nil, int(c.Meta))) + "'"
}
