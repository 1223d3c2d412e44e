package statements

import (
	"fmt"
	"time"
)

// zoneTables are statements that teach a MariaDB the zone Europe/Berlin, of the years that stored moments are of.
func zoneTables() []string {
	loc, err := time.LoadLocation(berlin)
	if err != nil {
		return nil
	}
	out := []string{
		"DELETE FROM mysql.time_zone_name WHERE Name='" + berlin + "'",
		"INSERT INTO mysql.time_zone (Use_leap_seconds) VALUES ('N')",
		"SET @zone=LAST_INSERT_ID()",
		"INSERT INTO mysql.time_zone_name (Name, Time_zone_id) VALUES ('" + berlin + "', @zone)",
	}
	kinds := map[string]int{}
	before := ""
	for at := time.Date(1901, 12, 14, 0, 0, 0, 0, time.UTC); at.Year() < 2038; {
		local := at.In(loc)
		name, offset := local.Zone()
		key := fmt.Sprint(name, offset)
		id, known := kinds[key]
		if !known {
			id = len(kinds)
			kinds[key] = id
			summer := 0
			if local.IsDST() {
				summer = 1
			}
			out = append(out, fmt.Sprintf("INSERT INTO mysql.time_zone_transition_type VALUES (@zone, %d, %d, %d, '%s')", id, offset, summer, name))
		}
		if key != before {
			out = append(out, fmt.Sprintf("INSERT INTO mysql.time_zone_transition VALUES (@zone, %d, %d)", at.Unix(), id))
			before = key
		}
		_, end := local.ZoneBounds()
		if end.IsZero() {
			break
		}
		at = end.UTC()
	}
	return out
}

const berlin = "Europe/Berlin"
