package clone

import (
	"context"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// table is a table whose rows are copied.
type table struct {
	database, name string
	columns        []column // in the table's order
	// key is the first column of the primary key if that is a column of integers, else "": the table is read in ranges of it.
	key           string
	engine        string
	transactional bool
	// loadable tables are written with LOAD DATA.
	loadable bool
	// rows and bytes are what the source believes.
	rows, bytes int64
}

func (t *table) title() string  { return t.database + "." + t.name }
func (t *table) quoted() string { return quoteName(t.database) + "." + quoteName(t.name) }

func (t *table) estimate(rows, bytes string) {
	t.rows, _ = strconv.ParseInt(rows, 10, 64) // an estimate that is no number is none
	t.bytes, _ = strconv.ParseInt(bytes, 10, 64)
}

// setLoadable looks for what LOAD DATA hands to the new server's fallback (docs/files-of-rows.md). A comment that only looks like it costs time alone.
func (t *table) setLoadable(create string) {
	t.loadable = !strings.Contains(create, " CHECK (") && !strings.Contains(create, "FOREIGN KEY (") &&
		!slices.ContainsFunc(t.columns, func(c column) bool { return c.generated || !c.loadable })
}

// readColumns reads the columns of a database's tables.
func (s *source) readColumns(ctx context.Context, database string) (map[string][]column, error) {
	list, err := query(ctx, s.admin, `SELECT TABLE_NAME AS t, COLUMN_NAME AS n, LOWER(DATA_TYPE) AS type, COLUMN_TYPE AS definition, COALESCE(GENERATION_EXPRESSION, '') AS expression
		FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = `+quoteText(database)+` ORDER BY TABLE_NAME, ORDINAL_POSITION`)
	if err != nil {
		return nil, err
	}
	all := make(map[string][]column)
	for _, r := range list {
		all[r["t"]] = append(all[r["t"]], column{
			name: r["n"], class: classOf(r["type"]), enum: r["type"] == "enum", generated: r["expression"] != "",
			integer: slices.Contains([]string{"tinyint", "smallint", "mediumint", "int", "bigint"}, r["type"]), loadable: loads(r["type"], r["definition"]),
		})
	}
	return all, nil
}

// readKeys reads the first columns of primary keys, by table.
func (s *source) readKeys(ctx context.Context, database string) (map[string]string, error) {
	list, err := query(ctx, s.admin, "SELECT TABLE_NAME AS t, COLUMN_NAME AS n FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = "+
		quoteText(database)+" AND INDEX_NAME = 'PRIMARY' AND SEQ_IN_INDEX = 1")
	if err != nil {
		return nil, err
	}
	keys := make(map[string]string)
	for _, r := range list {
		keys[r["t"]] = r["n"]
	}
	return keys, nil
}

// part is a range of a table's rows that one worker copies.
type part struct {
	table *table
	where string // "" for all rows
	bytes int64  // estimated
}

// partsMost bounds the parts of one table.
const partsMost = 1024

// split divides a table into parts, whose bounds are as far from each other as numbers: keys may be distributed otherwise, which is why there are
// more parts than workers.
func split(t *table, low, high *big.Int, parts int) []part {
	width := new(big.Int).Sub(high, low)
	width.Add(width, big.NewInt(1))
	if big := big.NewInt(int64(parts)); width.Cmp(big) < 0 {
		parts = int(width.Int64())
	}
	if parts <= 1 {
		return []part{{table: t, bytes: t.bytes}}
	}
	key := quoteName(t.key)
	var all []part
	for i := range parts {
		var bounds []string
		// The first and the last part are open, for keys beyond what was seen there are none.
		if i > 0 {
			bounds = append(bounds, key+" >= "+bound(low, width, i, parts))
		}
		if i < parts-1 {
			bounds = append(bounds, key+" < "+bound(low, width, i+1, parts))
		}
		all = append(all, part{table: t, where: strings.Join(bounds, " AND "), bytes: t.bytes / int64(parts)})
	}
	return all
}

// bound is where part i of a number of parts begins.
func bound(low, width *big.Int, i, parts int) string {
	at := new(big.Int).Mul(width, big.NewInt(int64(i)))
	at.Div(at, big.NewInt(int64(parts)))
	return at.Add(at, low).String()
}

// parts divides a table into parts of about size bytes, in the snapshot of c.
func (t *table) parts(ctx context.Context, c execer, size int64) ([]part, error) {
	count := int(min(t.bytes/size, partsMost))
	if t.key == "" || count < 2 {
		return []part{{table: t, bytes: t.bytes}}, nil
	}
	r, err := queryOne(ctx, c, "SELECT MIN("+quoteName(t.key)+") AS low, MAX("+quoteName(t.key)+") AS high FROM "+t.quoted())
	if err != nil {
		return nil, err
	}
	low, ok := new(big.Int).SetString(r["low"], 10)
	high, ok2 := new(big.Int).SetString(r["high"], 10)
	if !ok || !ok2 { // no rows
		return []part{{table: t, bytes: t.bytes}}, nil
	}
	return split(t, low, high, count), nil
}
