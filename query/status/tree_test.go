package status

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/grammar"
)

func TestOf(t *testing.T) {
	for text, want := range map[string]Kind{
		"select 1": Select, "select 1 union select 2": Select, "values (1)": Select, "insert into t values (1)": Insert, "insert into t set a = 1": Insert,
		"insert into t select 1": InsertSelect, "replace t values (1)": Replace, "replace t select 1": ReplaceSelect, "update t set a = 1": Update,
		"update t, u set a = 1": UpdateMulti, "update t join u set a = 1": UpdateMulti, "delete from t": Delete, "delete t from t": DeleteMulti,
		"delete from t using t": DeleteMulti, "load data infile 'f' into table t": Load, "set @a = 1": Set, "call p": Call, "use d": ChangeDB,
		"create table t (a int)": CreateTable, "alter table t add b int": AlterTable, "drop table t": DropTable, "rename table t to u": RenameTable,
		"truncate t": Truncate, "create index i on t (a)": CreateIndex, "drop index i on t": DropIndex, "create view v as select 1": CreateView,
		"drop view v": DropView, "create database d": CreateDB, "alter database d comment 'x'": AlterDB, "drop database d": DropDB,
		"create procedure p() select 1": None, "drop procedure p": None, "show tables": None,
	} {
		s, _, err := grammar.Parse(text, grammar.Options{})
		require.NoError(t, err, text)
		require.Equal(t, want, Of(s), text)
	}
}
