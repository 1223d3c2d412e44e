package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// nameDefaultCollations adds the collation where a definition names only a
// character set whose default go-mysql-server and MariaDB disagree about: for
// utf8mb4 the former has one of MySQL 8, which no MariaDB replica knows.
func nameDefaultCollations(ast sqlparser.Statement) {
	switch n := ast.(type) {
	case *sqlparser.DBDDL:
		charset, collated := "", false
		for _, c := range n.CharsetCollate {
			if strings.EqualFold(c.Type, "collate") {
				collated = true
			} else {
				charset = c.Value
			}
		}
		if name := unstatedCollation(charset); name != "" && !collated {
			n.CharsetCollate = append(n.CharsetCollate, &sqlparser.CharsetAndCollate{Type: "collate", Value: name})
		}
	case *sqlparser.DDL:
		nameTableCollations(n)
	case *sqlparser.AlterTable:
		for _, d := range n.Statements {
			nameTableCollations(d)
		}
	}
}

func nameTableCollations(d *sqlparser.DDL) {
	if spec := d.AlterCollationSpec; spec != nil && spec.Collation == "" {
		spec.Collation = unstatedCollation(spec.CharacterSet)
	}
	if d.TableSpec == nil {
		return
	}
	charset, collated := "", false
	for _, o := range d.TableSpec.TableOpts {
		switch strings.ToLower(o.Name) {
		case "character set", "charset":
			charset = o.Value
		case "collate":
			collated = true
		}
	}
	if name := unstatedCollation(charset); name != "" && !collated {
		d.TableSpec.TableOpts = append(d.TableSpec.TableOpts, &sqlparser.TableOption{Name: "collate", Value: name})
	}
	for _, c := range d.TableSpec.Columns {
		if c.Type.Collate == "" && !c.Type.BinaryCollate {
			c.Type.Collate = unstatedCollation(c.Type.Charset)
		}
	}
}

// unstatedCollation is the collation to name for a character set that stands
// alone; "" where none has to be named.
func unstatedCollation(charset string) string {
	if strings.EqualFold(strings.Trim(charset, "'\"`"), "utf8mb4") {
		return "utf8mb4_general_ci"
	}
	return ""
}
