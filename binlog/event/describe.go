package event

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/mysql"
)

// Describe is the Info column of SHOW BINLOG EVENTS, in MariaDB's words.
func Describe(ev Event) string {
	switch b := ev.Body.(type) {
	case *Format:
		return fmt.Sprintf("Server ver: %s, Binlog ver: %d", b.ServerVersion, b.BinlogVersion)
	case *List:
		return describeList(b)
	case *Checkpoint:
		return b.File
	case *GTIDInfo:
		return describeGTID(b)
	case *Query:
		return describeQuery(ev.Header, b)
	case *LoadQuery:
		return describeQuery(ev.Header, &b.Query) + " ;file_id=" + strconv.FormatUint(uint64(b.FileID), 10)
	case *LoadBlock:
		return fmt.Sprintf(";file_id=%d;block_len=%d", b.FileID, len(b.Data))
	case *Annotate:
		return string(b.SQL)
	case *TableMapInfo:
		return fmt.Sprintf("table_id: %d (%s.%s)", b.TableID, b.Schema, b.Table)
	case *RowsInfo:
		if b.Flags&RowsStmtEnd != 0 {
			return fmt.Sprintf("table_id: %d flags: STMT_END_F", b.TableID)
		}
		return fmt.Sprintf("table_id: %d", b.TableID)
	case *Xid:
		return fmt.Sprintf("COMMIT /* xid=%d */", b.XID)
	case *XAPrepareInfo:
		verb := "XA PREPARE "
		if b.OnePhase {
			verb = "XA COMMIT ONE PHASE "
		}
		return verb + xaName(b.FormatID, b.GTRID, b.BQUAL)
	case *Rotate:
		return fmt.Sprintf("%s;pos=%d", b.File, b.Pos)
	case *IntvarInfo:
		if b.LastInsertID {
			return fmt.Sprintf("LAST_INSERT_ID=%d", b.Value)
		}
		return fmt.Sprintf("INSERT_ID=%d", b.Value)
	case *RandInfo:
		return fmt.Sprintf("rand_seed1=%d,rand_seed2=%d", b.Seed1, b.Seed2)
	case *UserVarInfo:
		return describeUserVar(b)
	case *IncidentInfo:
		return describeIncident(b)
	case *MySQLGTIDInfo:
		return b.GTID.String()
	case *PreviousGTIDs:
		return b.Set.String()
	case *Payload:
		return fmt.Sprintf("compression=%d uncompressed=%d", b.Compression, b.Size)
	case *Private:
		return fmt.Sprintf("duramen: %s, %d bytes", b.Kind, len(b.Payload))
	}
	return ""
}

// String names the kind for people.
func (k PrivateKind) String() string {
	switch k {
	case PrivateCatalog:
		return "catalog change"
	case PrivateLocal:
		return "local transaction"
	case PrivateRowIDs:
		return "row ids"
	case PrivateWriteMark:
		return "write mark"
	case PrivatePadding:
		return "padding"
	case PrivateSlavePos:
		return "gtid_slave_pos"
	case PrivateMySQLGTID:
		return "MySQL GTID"
	case PrivateExecuted:
		return "gtid_executed"
	}
	return "private record " + strconv.Itoa(int(k))
}

// describeList shows the domains in order; within a domain the order says
// which GTID is the last.
func describeList(l *List) string {
	sorted := slices.Clone(l.GTIDs)
	slices.SortStableFunc(sorted, func(a, b gtid.GTID) int { return cmp.Compare(a.Domain, b.Domain) })
	b := []byte{'['}
	for i, g := range sorted {
		if i > 0 {
			b = append(b, ',')
		}
		b = g.AppendTo(b)
	}
	return string(append(b, ']'))
}

func describeGTID(g *GTIDInfo) string {
	var b strings.Builder
	switch {
	case g.Flags&FLStandalone != 0:
		b.WriteString("GTID ")
	case g.Flags&FLPreparedXA != 0 && len(g.XID) >= 6:
		x := g.XID
		format := uint32(x[0]) | uint32(x[1])<<8 | uint32(x[2])<<16 | uint32(x[3])<<24
		gtrid := x[6:min(6+int(x[4]), len(x))]
		b.WriteString("XA START " + xaName(format, gtrid, x[6+len(gtrid):]) + " GTID ")
	default:
		b.WriteString("BEGIN GTID ")
	}
	b.WriteString(g.GTID.String())
	if g.Flags&FLGroupCommitID != 0 {
		fmt.Fprintf(&b, " cid=%d", g.CommitID)
	}
	switch {
	case g.ExtraFlags&FLExtraStartAlter != 0:
		b.WriteString(" START ALTER")
	case g.ExtraFlags&FLExtraCommitAlter != 0:
		fmt.Fprintf(&b, " COMMIT ALTER id=%d", g.AlterSeq)
	case g.ExtraFlags&FLExtraRollbackAlter != 0:
		fmt.Fprintf(&b, " ROLLBACK ALTER id=%d", g.AlterSeq)
	}
	return b.String()
}

func xaName(format uint32, gtrid, bqual []byte) string {
	return fmt.Sprintf("X'%x',X'%x',%d", gtrid, bqual, format)
}

// shownFlags2 are the session options that MariaDB puts before a query's text.
var shownFlags2 = []struct {
	bit  uint32
	text string
}{
	{Flags2NoForeignKeyChecks, "foreign_key_checks=0"},
	{Flags2AutoIsNull, "sql_auto_is_null=1"},
	{Flags2NoUniqueChecks, "unique_checks=0"},
	{Flags2NoCheckConstraint, "check_constraint_checks=0"},
	{Flags2IfExists, "@@sql_if_exists=1"},
	{Flags2InsertHistory, "@@system_versioning_insert_history=1"},
}

func describeQuery(h Header, q *Query) string {
	var b strings.Builder
	if h.Flags&FlagSuppressUse == 0 && q.Schema != "" {
		b.WriteString("use " + quoteName(q.Schema) + "; ")
	}
	before := "set "
	for _, f := range shownFlags2 {
		if q.Flags2&f.bit != 0 {
			b.WriteString(before + f.text)
			before = ", "
		}
	}
	if before != "set " {
		b.WriteString("; ")
	}
	b.WriteString(q.SQL)
	return b.String()
}

func quoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

func describeUserVar(v *UserVarInfo) string {
	name := "@" + quoteName(v.Name) + "="
	if v.Null {
		return name + "NULL"
	}
	switch v.Type {
	case UserVarReal:
		return name + strconv.FormatFloat(v.Real(), 'g', -1, 64)
	case UserVarInt:
		if v.Unsigned {
			return name + strconv.FormatUint(v.Int(), 10)
		}
		return name + strconv.FormatInt(int64(v.Int()), 10)
	case UserVarDecimal:
		text, err := mysql.AppendDecimalText(nil, v.Value[2:], int(v.Value[0]), int(v.Value[1]))
		if err != nil {
			return name + "???"
		}
		return name + string(text)
	}
	charset, collation, ok := commonCollation(v.Charset)
	if !ok {
		return name + "???"
	}
	return name + "_" + charset + " X'" + strings.ToUpper(hex.EncodeToString(v.Value)) + "' COLLATE " + collation
}

// commonCollation names the collations that user variables usually have; the
// full list is above this package.
func commonCollation(id uint32) (charset, collation string, ok bool) {
	switch id {
	case mysql.Collation_latin1_swedish_ci:
		return "latin1", "latin1_swedish_ci", true
	case mysql.Collation_latin1_bin:
		return "latin1", "latin1_bin", true
	case mysql.Collation_ascii_general_ci:
		return "ascii", "ascii_general_ci", true
	case mysql.Collation_utf8mb3_general_ci:
		return "utf8mb3", "utf8mb3_general_ci", true
	case mysql.Collation_utf8mb3_bin:
		return "utf8mb3", "utf8mb3_bin", true
	case mysql.Collation_utf8mb4_general_ci:
		return "utf8mb4", "utf8mb4_general_ci", true
	case mysql.Collation_utf8mb4_bin:
		return "utf8mb4", "utf8mb4_bin", true
	case mysql.Collation_utf8mb4_unicode_ci:
		return "utf8mb4", "utf8mb4_unicode_ci", true
	case mysql.Collation_binary:
		return "binary", "binary", true
	}
	return "", "", false
}

func describeIncident(i *IncidentInfo) string {
	name := "LOST_EVENTS"
	if i.Number == 0 {
		name = "NOTHING"
	}
	if i.Message == "" {
		return fmt.Sprintf("#%d (%s)", i.Number, name)
	}
	return fmt.Sprintf("#%d (%s): %s", i.Number, name, i.Message)
}
