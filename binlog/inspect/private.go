package inspect

import (
	"encoding/binary"
	"fmt"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// describePrivate says in a line what a private record holds.
func describePrivate(p *event.Private) string {
	switch p.Kind {
	case event.PrivateRowIDs:
		ids, err := event.RowIDs(nil, p.Payload)
		if err != nil {
			return fmt.Sprintf("%s, %v", p.Kind, err)
		}
		const most = 20
		if len(ids) > most {
			return fmt.Sprintf("%s %v and %d more", p.Kind, ids[:most], len(ids)-most)
		}
		return fmt.Sprintf("%s %v", p.Kind, ids)
	case event.PrivateSlavePos, event.PrivateExecuted:
		return fmt.Sprintf("%s %q", p.Kind, p.Payload)
	case event.PrivateMySQLGTID:
		g, err := gtid.DecodeMySQL(p.Payload)
		if err != nil {
			return fmt.Sprintf("%s, %v", p.Kind, err)
		}
		return fmt.Sprintf("%s %s", p.Kind, g)
	case binlog.PrivateWriteMark:
		if len(p.Payload) == 16 {
			return fmt.Sprintf("%s: durable up to %d, %d bytes follow", p.Kind,
				binary.LittleEndian.Uint64(p.Payload), binary.LittleEndian.Uint64(p.Payload[8:]))
		}
	}
	return fmt.Sprintf("%s, %d bytes", p.Kind, len(p.Payload))
}
