package query_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

// asBefore makes a full-text index what earlier versions made of it: with tables of its own, which its options name.
func (s *server) asBefore(table string, sides map[string]string) {
	s.t.Helper()
	tx := s.store.Txns().Begin(txn.Options{})
	var c catalog.Change
	for _, tbl := range s.store.Catalog().Current().AllTables() {
		def := *tbl.Def
		if def.Name == table {
			def.Indexes = append([]catalog.IndexDef{}, def.Indexes...)
			def.Indexes[0].Options = sides
			c.Tables = append(c.Tables, &def)
		}
		for _, side := range sides {
			if def.Name == side {
				def.Options = map[string]string{catalog.OptionLocal: "1"}
				c.Tables = append(c.Tables, &def)
			}
		}
	}
	require.NoError(s.t, tx.ChangeCatalog(c))
	_, err := tx.Commit(context.Background())
	require.NoError(s.t, err)
	s.restart()
}

// A data directory of an earlier version is read: the tables that its full-text indexes had are hidden, nobody reads or writes them, and they go with the
// index, or the table.
func TestFulltextOfEarlierVersions(t *testing.T) {
	for _, drop := range []string{"DROP TABLE f", "ALTER TABLE f DROP INDEX t", "DROP INDEX t ON f"} {
		s := newServer(t)
		c := s.connect()
		c.exec("CREATE DATABASE d")
		c.exec("USE d")
		c.exec("CREATE TABLE f (id INT PRIMARY KEY, t TEXT, FULLTEXT KEY (t))")
		c.exec("INSERT INTO f VALUES (1, 'one word'), (2, 'two words')")
		c.exec("CREATE TABLE f_FTS_CONFIG (a INT)")
		c.exec("CREATE TABLE f_t_0_FTS_POSITION (a INT)")
		c.Close()
		s.asBefore("f", map[string]string{"fulltext_config": "f_FTS_CONFIG", "fulltext_position": "f_t_0_FTS_POSITION", "fulltext_key_type": "0"})
		c = s.connect()
		c.exec("USE d")
		require.Equal(t, "f", c.query("SHOW TABLES"))
		c.exec("INSERT INTO f VALUES (3, 'word')")
		c.exec("UPDATE f SET t = 'no more' WHERE id = 1")
		require.Equal(t, "3", c.query("SELECT id FROM f WHERE MATCH (t) AGAINST ('+word' IN BOOLEAN MODE)"))
		require.Equal(t, "3", c.query("SELECT a.id FROM f a JOIN f b ON a.id = b.id WHERE MATCH (a.t) AGAINST ('word')"))
		c.exec("ALTER TABLE f ADD c INT DEFAULT 7")
		require.Equal(t, "3|7", c.query("SELECT id, c FROM f WHERE MATCH (t) AGAINST ('word')"))
		c.exec(drop)
		for _, tbl := range s.store.Catalog().Current().AllTables() {
			require.False(t, tbl.Local, "%s: %s is left", drop, tbl.Def.Name)
		}
		s.close()
	}
}

// MATCH in what the fallback runs is the same as in what runs natively.
func TestFulltextInTheFallback(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	c.exec("CREATE DATABASE d")
	c.exec("USE d")
	c.exec("CREATE TABLE f (id INT PRIMARY KEY, a VARCHAR(50), b TEXT, FULLTEXT KEY (a, b)) CHARSET latin1")
	c.exec("INSERT INTO f VALUES (1, 'one', 'word'), (2, 'two', 'words'), (3, 'café', 'and word, word')")
	const ranks = "1|0.031008131802082062\n2|0\n3|0.062016263604164124"
	native := c.query("SELECT id, MATCH (a, b) AGAINST ('word') FROM f ORDER BY id")
	require.Equal(t, ranks, native)
	for _, query := range []string{
		"SELECT x.id, MATCH (x.b, x.a) AGAINST ('word') FROM f x JOIN f y ON x.id = y.id ORDER BY x.id",
		"SELECT id, r FROM (SELECT id, MATCH (a, b) AGAINST ('+word' IN BOOLEAN MODE) AS r FROM f) d ORDER BY id",
		"SELECT id, MATCH (a, b) AGAINST ('word') FROM f WHERE id IN (SELECT id FROM f) ORDER BY id",
		"SELECT f.id, MATCH f.a, f.b AGAINST ('word') FROM f, f g WHERE f.id = g.id ORDER BY f.id",
		"WITH w AS (SELECT id, MATCH (a, b) AGAINST ('word') AS r FROM f) SELECT * FROM w ORDER BY id",
	} {
		require.Equal(t, ranks, c.query(query), query)
	}
	require.Equal(t, "3", c.query("SELECT x.id FROM f x JOIN f y ON x.id = y.id WHERE MATCH (x.a, x.b) AGAINST ('CAFÉ' IN BOOLEAN MODE)"))
	require.Equal(t, "1\n2\n3", c.query("SELECT x.id FROM f x JOIN f y ON x.id = y.id WHERE MATCH (x.a, x.b) AGAINST ('one word*' WITH QUERY EXPANSION) OR x.id = 2 ORDER BY 1"))
	c.fails(1064, "SELECT x.id FROM f x JOIN f y ON x.id = y.id WHERE MATCH (x.a, x.b) AGAINST ('+' IN BOOLEAN MODE)")
	c.fails(1191, "SELECT x.id FROM f x JOIN f y ON x.id = y.id WHERE MATCH (x.a) AGAINST ('word')")
	c.fails(1210, "SELECT x.id FROM f x JOIN f y ON x.id = y.id WHERE MATCH (x.a, x.b) AGAINST (y.b)")
	c.exec("CREATE TABLE n (w VARCHAR(20), c INT)")
	c.exec("CREATE TRIGGER tr BEFORE INSERT ON n FOR EACH ROW SET NEW.c = (SELECT COUNT(*) FROM f WHERE MATCH (a, b) AGAINST ('word'))")
	c.exec("INSERT INTO n (w) VALUES ('x')")
	c.exec("UPDATE f SET b = 'word' WHERE id = 2")
	c.exec("INSERT INTO n (w) VALUES ('y')")
	require.Equal(t, "x|2\ny|3", c.query("SELECT w, c FROM n ORDER BY w"))
	c.exec("UPDATE f x JOIN f y ON x.id = y.id SET x.b = 'gone' WHERE MATCH (x.a, x.b) AGAINST ('two')")
	require.Equal(t, "gone", c.query("SELECT b FROM f WHERE id = 2"))
}
