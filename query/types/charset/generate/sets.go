package main

import (
	"cmp"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// eightBit and multiByte are the sets that are not Unicode, without binary.
func (g *generator) setsOf(multi bool) []string {
	found := map[string]bool{}
	for _, c := range g.collations {
		if !unicode(c.set) && c.set != "binary" && c.max > 1 == multi {
			found[c.set] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// codesOf are SELECTs of seq and h, the codes that a set's characters may have and their bytes in hexadecimal.
func codesOf(set string, multi bool) []string {
	codes := []string{"SELECT seq, LPAD(HEX(seq),2,'0') AS h FROM seq_0_to_255"}
	if multi {
		codes = append(codes, "SELECT seq, HEX(seq) AS h FROM seq_33024_to_65535")
	}
	if set == "ujis" || set == "eucjpms" {
		codes = append(codes, "SELECT seq, HEX(seq) AS h FROM seq_9412608_to_9437183") // 8FA000 to 8FFFFF
	}
	return codes
}

// sets writes how each set that is not Unicode stands to Unicode.
func (g *generator) sets() error {
	all := new(file)
	for _, set := range g.setsOf(false) {
		body, err := g.mapping(set, false)
		if err != nil {
			return err
		}
		all.part(set, body)
	}
	if err := g.save("set8.gz", all); err != nil {
		return err
	}
	for _, set := range g.setsOf(true) {
		body, err := g.mapping(set, true)
		if err != nil {
			return err
		}
		one := new(file)
		one.part(set, body)
		if err := g.save("set_"+set+".gz", one); err != nil {
			return err
		}
	}
	return nil
}

type character struct{ code, point int }

func (g *generator) mapping(set string, multi bool) (*file, error) {
	var decoded []character
	codeOf := map[int]int{} // by the rule that the lowest code wins
	for _, codes := range codesOf(set, multi) {
		err := g.rows(func(r *sql.Rows) error {
			var c character
			var point string
			if err := r.Scan(&c.code, &point); err != nil {
				return err
			}
			v, err := strconv.ParseInt(point, 16, 32)
			if err != nil {
				return fmt.Errorf("%s %X is %q: %w", set, c.code, point, err)
			}
			c.point = int(v)
			decoded = append(decoded, c)
			return nil
		}, `SELECT seq, HEX(CONVERT(CONVERT(UNHEX(h) USING %[1]s) USING utf32)) AS u FROM (%[2]s) s
			WHERE HEX(CONVERT(UNHEX(h) USING %[1]s)) = h HAVING LENGTH(u) = 8 AND (u <> '0000003F' OR seq = 0x3F)`, set, codes)
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(decoded, func(a, b character) int { return cmp.Compare(a.code, b.code) })
	f := new(file)
	f.uint(len(decoded))
	last := character{code: -1}
	for _, c := range decoded {
		f.uint(c.code - last.code)
		f.int(c.point - last.point)
		last = c
		if _, ok := codeOf[c.point]; !ok {
			codeOf[c.point] = c.code
		}
	}
	exceptions, err := g.exceptions(set, codeOf)
	if err != nil {
		return nil, err
	}
	f.uint(len(exceptions))
	last = character{point: -1}
	for _, c := range exceptions {
		f.uint(c.point - last.point)
		f.int(c.code - last.code)
		last = c
	}
	return f, nil
}

// exceptions are the code points whose code is not the one of the rule, with their codes plus one, 0 for none.
func (g *generator) exceptions(set string, codeOf map[int]int) ([]character, error) {
	var found []character
	rest, last := maps.Clone(codeOf), 0x30000
	if set == "tis620" {
		last = 0x10000 // above that it looks at 16 bits only
	}
	err := g.rows(func(r *sql.Rows) error {
		var point int
		var h string
		if err := r.Scan(&point, &h); err != nil {
			return err
		}
		code, err := strconv.ParseInt(h, 16, 32)
		if err != nil {
			return fmt.Errorf("%X in %s is %q: %w", point, set, h, err)
		}
		if want, ok := codeOf[point]; !ok || want != int(code) {
			found = append(found, character{int(code) + 1, point})
		}
		delete(rest, point)
		return nil
	}, "SELECT n, HEX(CONVERT(c USING %s)) AS h FROM cp WHERE n < %d HAVING h <> '3F' OR n = 0x3F", set, last)
	for point := range rest {
		found = append(found, character{0, point})
	}
	slices.SortFunc(found, func(a, b character) int { return cmp.Compare(a.point, b.point) })
	return found, err
}

func unhex(h string) ([]byte, error) { return hex.DecodeString(h) }
