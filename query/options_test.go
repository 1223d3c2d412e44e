package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query"
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

// An option of something that this server does not have ends its start, unless it says what is so anyway.
func TestFixedOptions(t *testing.T) {
	s := newServer(t)
	cfg := query.Config{Store: s.store, Variables: map[string]any{"innodb_encrypt_tables": "ON"}}
	_, err := query.New(cfg)
	require.ErrorContains(t, err, "option innodb_encrypt_tables: ERROR 1235")
	cfg.Variables = map[string]any{"innodb-encrypt-tables": "OFF", "innodb-io-capacity-max": 4000}
	e, err := query.New(cfg)
	require.NoError(t, err)
	require.EqualValues(t, 4000, e.GlobalUint("innodb_io_capacity_max"))
	require.NoError(t, e.Close())
}
