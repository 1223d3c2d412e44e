package infoschema

import (
	_ "embed"
	"strings"
)

// MariaDB 10.11's: id, name, name with character set, character set, whether it is the default, sort
// length of collations; name, default collation, description, bytes per character of character sets.
var (
	//go:embed collations.tsv
	collationsTSV string
	//go:embed charsets.tsv
	charsetsTSV string
	//go:embed keywords.txt
	keywordsText string
)

// eachLine calls do with the fields of every line.
func eachLine(tsv string, do func(f []string)) {
	for line := range strings.Lines(tsv) {
		do(strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
}

func characterSets(s *scan) error {
	eachLine(charsetsTSV, func(f []string) {
		s.add(f[0], f[1], f[2], f[3])
	})
	return nil
}

func collations(s *scan) error {
	eachLine(collationsTSV, func(f []string) {
		switch {
		case f[1] == f[2]:
			s.add(f[1], f[3], f[0], f[4], "Yes", f[5])
		case f[3] == "utf8mb4": // of each character set that it is for; it stands there once
			s.add(f[1], nil, nil, nil, "Yes", f[5])
		}
	})
	return nil
}

func collationApplicability(s *scan) error {
	eachLine(collationsTSV, func(f []string) {
		s.add(f[1], f[3], f[2], f[0], f[4])
	})
	return nil
}

func keywords(s *scan) error {
	eachLine(keywordsText, func(f []string) { s.add(f[0]) })
	return nil
}
