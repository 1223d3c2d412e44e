package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/replication/replica"
)

// TestReplicationSettings restarts a server whose connections have settings.
func TestReplicationSettings(t *testing.T) {
	cfg := config(t, "--skip-slave-start")
	s := start(t, cfg)
	db := open(t, "root@unix("+s.Socket()+")/")
	_, err := db.Exec("CHANGE MASTER 'Aa' TO MASTER_HOST='127.0.0.9', MASTER_USER='u', MASTER_PASSWORD='secret'")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	stop(t, s)

	info, err := os.Stat(filepath.Join(cfg.DataDir, replica.FileName))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	cfg.MetricsAddress = "127.0.0.1:0"
	s = start(t, cfg)
	res, err := http.Get("http://" + s.MetricsAddr() + "/metrics")
	require.NoError(t, err)
	metrics, err := io.ReadAll(res.Body)
	require.NoError(t, errors.Join(err, res.Body.Close()))
	require.Contains(t, string(metrics), `duramen_replica_sql_running{connection="Aa"} 0`)
	require.Contains(t, string(metrics), `duramen_replica_executed_transactions_total{connection="Aa"} 0`)
	require.NotContains(t, string(metrics), "duramen_replica_seconds_behind", "nobody knows")
	require.Contains(t, string(metrics), "duramen_semi_sync_primary_enabled 0")
	cfg.MetricsAddress = ""
	all := s.engine.Replication().All()
	require.Len(t, all, 1)
	require.Equal(t, "Aa", all[0].Name)
	require.Equal(t, "u", all[0].Settings.User)
	require.Empty(t, all[0].Settings.Password)
	require.Equal(t, replica.NotRunning, all[0].IOPhase)
	stop(t, s)

	require.NoError(t, os.WriteFile(filepath.Join(cfg.DataDir, replica.FileName), []byte("{"), 0o600))
	_, err = Start(t.Context(), cfg)
	require.ErrorContains(t, err, replica.FileName)
}
