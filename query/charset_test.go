package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What the options say of the server's character set is what new databases and connections have.
func TestServerCharsetOptions(t *testing.T) {
	s := newServer(t)
	s.close()
	s.vars = map[string]any{"character-set-server": "latin1"}
	s.open()
	c := s.connect()
	require.Equal(t, "latin1_swedish_ci,latin1,latin1_swedish_ci", c.query("SELECT CONCAT_WS(',', @@collation_server, @@character_set_database, @@collation_database)"))
	c.exec("CREATE DATABASE d")
	c.exec("USE d")
	require.Equal(t, "latin1,latin1_swedish_ci", c.query("SELECT CONCAT_WS(',', @@character_set_database, @@collation_database)"))
}
