package inspect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// sampleLog has a CREATE TABLE in its first segment, and ten transactions in the second.
func sampleLog(t testing.TB) vfs.FS {
	fs := vfs.NewMem()
	l := openLog(t, fs)
	commit(t, l, createItem(t, 1))
	require.NoError(t, l.Rotate())
	require.NoError(t, l.AwaitClosed())
	for seq := uint64(2); seq <= 11; seq++ {
		commit(t, l, insert(seq, uint32(seq), "it's"))
	}
	return fs
}

func TestShowText(t *testing.T) {
	fs := sampleLog(t)
	text := show(t, openSet(t, fs), ShowOptions{Filter: Filter{GTIDs: []GTIDRange{{Server: 1, First: 3, Last: 3}}}})
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "###") || strings.HasPrefix(line, "#Q>") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	require.Equal(t, []string{
		"#Q> INSERT INTO item VALUES (1)",
		"### INSERT INTO `shop`.`item`", "### SET", "###   `id`=3", "###   `na``me`='it\\'s'", "###   `kind`='b'",
		"#Q> INSERT INTO other.thing VALUES (1)",
		"### INSERT INTO `other`.`thing`", "### SET", "###   @1=3", "###   @2=NULL", "###   @3=2",
	}, lines, text)
	require.NotContains(t, text, "Private")

	plain := show(t, openSet(t, fs), ShowOptions{Plain: true})
	require.Contains(t, plain, "###   @2='it\\'s'\n###   @3=2\n")
	require.NotContains(t, plain, "`id`")
	require.Contains(t, show(t, openSet(t, fs), ShowOptions{Private: true}), "Private record: write mark: durable up to")
}

// TestShowNamesOfSingleFile: the definitions are found in the files before it.
func TestShowNamesOfSingleFile(t *testing.T) {
	fs := sampleLog(t)
	list := records(t, openSet(t, fs, testDir+"/binlog.000002"), ShowOptions{Filter: Filter{Tables: []TableName{{"shop", "item"}}}})
	var rows int
	for _, r := range list {
		require.Equal(t, "binlog.000002", r.File)
		if r.Op == "" {
			continue
		}
		rows++
		var after map[string]any
		require.NoError(t, json.Unmarshal(r.After, &after))
		require.Equal(t, "it's", after["na`me"])
		require.Equal(t, "b", after["kind"])
	}
	require.Equal(t, 10, rows)
}

// TestShowFilters: what each filter leaves, as type and GTID of the events.
func TestShowFilters(t *testing.T) {
	fs := sampleLog(t)
	position := func(text string) Bound {
		b, err := ParseBound(text)
		require.NoError(t, err)
		return b
	}
	ranges := func(text string) []GTIDRange {
		list, err := ParseGTIDRanges(text)
		require.NoError(t, err)
		return list
	}
	const item = "Gtid Annotate_rows Table_map Write_rows_v1 Xid"
	for name, tt := range map[string]struct {
		filter   Filter
		from, to string
		gtids    string // of the Gtid events
		types    string // of the events of each of these groups
	}{
		"one":                 {filter: Filter{GTIDs: ranges("0-1-4")}, gtids: "0-1-4"},
		"ranges":              {filter: Filter{GTIDs: ranges("0-1-10.., 0-*-..2")}, gtids: "0-1-1 0-1-2 0-1-10 0-1-11"},
		"none":                {filter: Filter{GTIDs: ranges("5-1-4")}},
		"start after GTID":    {filter: Filter{Start: position("0-1-9")}, gtids: "0-1-10 0-1-11"},
		"stop with GTID":      {filter: Filter{Stop: position("0-1-2")}, gtids: "0-1-1 0-1-2"},
		"table":               {filter: Filter{GTIDs: ranges("0-1-..3"), Tables: []TableName{{"", "ITEM"}}}, from: "binlog.000002", gtids: "0-1-2 0-1-3", types: item},
		"table of database":   {filter: Filter{GTIDs: ranges("0-1-2"), Tables: []TableName{{"other", "thing"}}}, gtids: "0-1-2", types: item},
		"table of none":       {filter: Filter{Tables: []TableName{{"other", "item"}}}},
		"database":            {filter: Filter{GTIDs: ranges("0-1-2"), Databases: []string{"other"}}, gtids: "0-1-2", types: item},
		"statement of table":  {filter: Filter{Tables: []TableName{{"shop", "item"}}}, to: "binlog.000001", gtids: "0-1-1", types: "Gtid Query"},
		"statement not named": {filter: Filter{Tables: []TableName{{"shop", "ite"}}}, to: "binlog.000001"},
		"file":                {from: "binlog.000001", to: "binlog.000001", gtids: "0-1-1", types: "Gtid Query"},
	} {
		t.Run(name, func(t *testing.T) {
			var gtids []string
			groups := map[string][]string{}
			for _, r := range records(t, openSet(t, fs), ShowOptions{Filter: tt.filter, From: tt.from, To: tt.to}) {
				if r.Type == "Gtid" {
					gtids = append(gtids, r.GTID)
				}
				if r.GTID != "" {
					groups[r.GTID] = append(groups[r.GTID], r.Type)
				}
			}
			require.Equal(t, tt.gtids, strings.Join(gtids, " "))
			if tt.types != "" {
				for g, types := range groups {
					require.Equal(t, tt.types, strings.Join(types, " "), g)
				}
			}
		})
	}
}

func TestShowPositionsAndTimes(t *testing.T) {
	fs := sampleLog(t)
	all := records(t, openSet(t, fs, testDir+"/binlog.000002"), ShowOptions{})
	var starts []uint64
	for _, r := range all {
		if r.Type == "Gtid" {
			starts = append(starts, r.Pos)
		}
	}
	some := records(t, openSet(t, fs, testDir+"/binlog.000002"), ShowOptions{Filter: Filter{
		Start: Bound{Set: true, Offset: starts[2]}, Stop: Bound{Set: true, Offset: starts[4]}}})
	require.Equal(t, starts[2], some[0].Pos)
	for _, r := range some {
		require.Less(t, r.Pos, starts[4])
	}
	at, err := ParseTime("2023-11-14T22:13:20Z") // testMeta.Timestamp
	require.NoError(t, err)
	require.Empty(t, records(t, openSet(t, fs), ShowOptions{Filter: Filter{Before: at}}))
	count := 0
	for _, r := range records(t, openSet(t, fs), ShowOptions{Filter: Filter{After: at}}) {
		if r.Type == "Gtid" {
			count++
		}
	}
	require.Equal(t, 11, count)
}

func TestShowPrivate(t *testing.T) {
	fs := vfs.NewMem()
	l := openLog(t, fs)
	name := "local"
	inner := tableEvents(nil, 7, "shop", "item")
	inner = rowsEvent(inner, 7, event.UpdateRowsV1, image(1, &name), image(2, nil))
	b := beginGroup(1, event.FLTransactional)
	b = event.AppendPrivate(b, testMeta, event.PrivateLocal, inner)
	b = event.AppendPrivate(b, testMeta, 99, []byte("?"))
	b = event.AppendXID(b, testMeta, 1)
	commit(t, l, createItem(t, 2))
	commit(t, l, b)
	hidden := records(t, openSet(t, fs), ShowOptions{})
	for _, r := range hidden {
		require.NotEqual(t, "Ignorable", r.Type)
	}
	shown := map[string]Record{}
	for _, r := range records(t, openSet(t, fs), ShowOptions{Private: true}) {
		shown[r.Private+r.Op] = r
	}
	require.JSONEq(t, `{"id":1,"na`+"`"+`me":"local","kind":"b"}`, string(shown["update"].Before))
	require.JSONEq(t, `{"id":2,"na`+"`"+`me":null,"kind":"b"}`, string(shown["update"].After))
	require.True(t, shown["update"].Local)
	require.Equal(t, "0-1-1", shown["update"].GTID)
	require.Contains(t, string(shown["catalog change"].Catalog), `"item"`)
	require.Contains(t, shown, "private record 99")
	require.Contains(t, shown, "write mark")
	text := show(t, openSet(t, fs), ShowOptions{Private: true})
	require.Contains(t, text, "(local) Update_rows_v1")
	require.Contains(t, text, "### UPDATE `shop`.`item`\n### WHERE\n###   `id`=1\n")
}

func TestFilterSyntax(t *testing.T) {
	for _, text := range []string{"", "1", "0-1", "0-1-x", "0-1-5..4", "0-x-1", "-1-1-1", "0-1-1,", "4294967296-1-1", "0-*-+1"} {
		_, err := ParseGTIDRanges(text)
		require.ErrorIs(t, err, ErrFilter, text)
	}
	for _, text := range []string{"0-1-5", "0-1-5..7", "0-*-5..", "7-4294967295-18446744073709551615"} {
		list, err := ParseGTIDRanges(text)
		require.NoError(t, err)
		require.Equal(t, text, list[0].String())
	}
	for _, text := range []string{"", "x", "0-1", "-4", "0-1-1,0-2-2"} {
		_, err := ParseBound(text)
		require.ErrorIs(t, err, ErrFilter, text)
	}
	for _, text := range []string{"", "yesterday", "2026-13-01"} {
		_, err := ParseTime(text)
		require.ErrorIs(t, err, ErrFilter, text)
	}
	for _, text := range []string{"", "db.", "a,,b"} {
		_, err := ParseTables(text)
		require.ErrorIs(t, err, ErrFilter, text)
	}
}

func TestBetween(t *testing.T) {
	state := func(text string) *gtid.State {
		s, err := gtid.ParseState(text)
		require.NoError(t, err)
		return s
	}
	for _, tt := range []struct {
		r, start, end string
		want          bool
	}{
		{"0-1-5", "0-1-4", "0-1-9", true},
		{"0-1-4", "0-1-4", "0-1-9", false},
		{"0-1-9", "0-1-4", "0-1-9", true},
		{"0-1-10..", "0-1-4", "0-1-9", false},
		{"0-1-..4", "0-1-4", "0-1-9", false},
		{"0-2-5", "0-1-4", "0-1-9", false},
		{"0-*-5", "0-1-4", "0-1-9", true},
		{"0-2-5", "0-1-4", "0-1-9,0-2-10", true},
		{"0-1-5", "0-1-9", "0-1-9", false},
		{"0-1-5", "0-1-9", "0-1-6", true},
		{"0-1-5", "", "0-1-6", true},
	} {
		list, err := ParseGTIDRanges(tt.r)
		require.NoError(t, err)
		require.Equal(t, tt.want, between(list[0], state(tt.start), state(tt.end)), "%+v", tt)
	}
}
