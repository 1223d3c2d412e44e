package dump

import (
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// Tables with UUID, INET4 and INET6 columns go from each server to the other. (mydumper and mariadb-dump --tab write them so that MariaDB itself does
// not take them back: the texts are read in character set binary.)
func TestAddresses(t *testing.T) {
	s := start(t)
	const db = "addressed"
	load(t, s.mariadb, script(t, "addresses.sql"))
	load(t, s.duramen, script(t, "addresses.sql"))
	want := picture(t, s.mariadb, db)
	same(t, "before", want, picture(t, s.duramen, db))
	fromMariaDB := run(t, "mariadb-dump", append(append(client(s.mariadb), dumpOptions...), "--databases", db)...)
	fromDuramen := run(t, "mariadb-dump", append(append(client(s.duramen), dumpOptions...), "--databases", db)...)
	for _, way := range []struct {
		what string
		dump []byte
		to   *peer.Server
	}{{"MariaDB to Duramen", fromMariaDB, s.duramen}, {"Duramen to Duramen", fromDuramen, s.duramen}, {"Duramen to MariaDB", fromDuramen, s.mariadb}} {
		drop(t, way.to, db)
		load(t, way.to, way.dump)
		same(t, way.what, want, picture(t, way.to, db))
	}
}
