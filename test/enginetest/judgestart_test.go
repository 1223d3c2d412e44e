package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"

	"github.com/duramendb/duramen/server"
	"github.com/duramendb/duramen/test/peer"
)

const (
	judgeEnv       = "DURAMEN_ENGINETEST_JUDGE"        // 1: there has to be a judge; 0: there is none
	judgeServerEnv = "DURAMEN_ENGINETEST_JUDGE_SERVER" // for a child: the judge's socket and port
)

// wantsJudge reports whether a judge is asked: when a MariaDB is installed,
// unless the caller has decided.
func wantsJudge() bool {
	switch os.Getenv(judgeEnv) {
	case "1":
		return true
	case "0":
		return false
	}
	_, err := exec.LookPath("mariadbd")
	return err == nil
}

// judgeServer starts a MariaDB for children that run one after another, and
// gives what goes into their environment.
func judgeServer(t *testing.T) string {
	t.Helper()
	s := peer.StartMariaDB(t, peer.Options{Args: []string{
		"--sql-mode=" + suiteMode, "--collation-server=utf8mb4_bin", "--secure-file-priv=", "--local-infile",
		"--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync", "--log-bin-trust-function-creators=1",
		"--skip-name-resolve", "--proxy-protocol-networks=*", "--version=" + server.ServerVersion,
	}})
	j := &judge{socket: s.Socket}
	j.strip()
	return fmt.Sprintf("%s=%s %d", judgeServerEnv, s.Socket, s.Port)
}

// strip takes away what only MariaDB's installation has: more accounts of root,
// its right to be anybody's proxy, the database sys, and two procedures for geometries.
func (j *judge) strip() {
	admin := j.admin()
	defer admin.Close()
	for _, list := range []string{
		"SELECT CONCAT('DROP USER `', User, '`@`', Host, '`') FROM mysql.user WHERE User IN ('root', '') AND Host NOT IN ('localhost', '')",
		"SELECT 'DROP DATABASE sys' FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'sys'",
		"SELECT CONCAT('DROP PROCEDURE mysql.`', name, '`') FROM mysql.proc WHERE db = 'mysql'",
		"SELECT 'DELETE FROM mysql.proxies_priv' UNION ALL SELECT 'FLUSH PRIVILEGES'",
	} {
		j.each(admin, list)
	}
}

// variables gives the global variables.
func (j *judge) variables() map[string]string {
	admin := j.admin()
	defer admin.Close()
	res, err := admin.Execute("SELECT VARIABLE_NAME, GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES" +
		" WHERE GLOBAL_VALUE IS NOT NULL AND READ_ONLY = 'NO' AND VARIABLE_NAME NOT LIKE 'gtid%'")
	if err != nil {
		panic(err)
	}
	list := map[string]string{}
	for i := range res.Values {
		name, _ := res.GetString(i, 0)
		list[name], _ = res.GetString(i, 1)
	}
	return list
}

// reset sets the global variables that have another value now.
func (j *judge) reset(variables map[string]string) {
	now := j.variables()
	admin := j.admin()
	defer admin.Close()
	for name, value := range variables {
		if now[name] != value {
			j.set(admin, name, value)
		}
	}
}

func (*judge) set(admin *client.Conn, name, value string) {
	if _, err := admin.Execute("SET GLOBAL " + name + " = " + value); err == nil {
		return
	}
	if _, err := admin.Execute("SET GLOBAL " + name + " = '" + value + "'"); err != nil {
		panic(err)
	}
}
