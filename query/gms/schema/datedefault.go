package schema

import (
	"regexp"

	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// momentText is a literal with a date and a time, and zeroTime a literal whose time is none.
var (
	momentText = regexp.MustCompile(`^'([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]`)
	zeroTime   = regexp.MustCompile(`[ T][0:.]*'$`)
)

// keepDate takes the time away from a DATE's literal default. MariaDB cuts another time than midnight, too, with a note; that is refused, since nothing here says
// the note. What was stored with its time stays so while its text does.
func keepDate(def, old *catalog.ColumnDef) error {
	if def.Type != mysql.MYSQL_TYPE_DATE || !def.HasDefault || !def.DefaultLiteral {
		return nil
	}
	if old != nil && old.Type == def.Type && old.Default == def.Default {
		return nil
	}
	date := momentText.FindStringSubmatch(def.Default)
	switch {
	case date == nil:
		return nil
	case !zeroTime.MatchString(def.Default):
		return mysqlerr.NotYet("a time of day in the DEFAULT of a DATE column")
	}
	def.Default = "'" + date[1] + "'"
	return nil
}
