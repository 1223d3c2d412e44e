package clone

import (
	"context"
	"fmt"
	"strings"
)

// verification is the query whose answer is equal on two servers that have the same rows of t: their number, and a sum of checksums, which no
// order changes. Computed columns count, too.
func (t *table) verification() string {
	terms := make([]string, len(t.columns))
	for i, c := range t.columns {
		value := c.read(false)
		switch c.class {
		case raw:
			value = "CRC32(" + value + ")" // of the bytes, whatever their character set
		case shape:
			value = "CRC32(HEX(" + value + "))"
		case plain, float, quoted, member, year:
		}
		terms[i] = "COALESCE(" + value + ", 'NULL')"
	}
	return "SELECT COUNT(*) AS n, COALESCE(SUM(CRC32(CONCAT_WS(',', " + strings.Join(terms, ", ") + "))), 0) AS sum FROM " + t.quoted()
}

// verify compares a table in the snapshot of from with the new server's.
func verify(ctx context.Context, from, to execer, t *table) error {
	q := t.verification()
	want, err := queryOne(ctx, from, q)
	if err != nil {
		return fmt.Errorf("verify table %s on the source: %w", t.title(), err)
	}
	got, err := queryOne(ctx, to, q)
	if err != nil {
		return fmt.Errorf("verify table %s on the new server: %w", t.title(), err)
	}
	if want["n"] != got["n"] || want["sum"] != got["sum"] {
		return fmt.Errorf("table %s differs: the source has %s rows with checksum %s, the new server %s with %s", t.title(), want["n"], want["sum"], got["n"], got["sum"])
	}
	return nil
}
