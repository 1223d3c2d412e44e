package enginetest

import (
	"testing"

	suite "github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/queries"
	"github.com/dolthub/go-mysql-server/enginetest/scriptgen/setup"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"
	goerrors "gopkg.in/src-d/go-errors.v1"
)

// The suite's own functions for statements that must fail run them only where
// the storage provides table functions, which none of them needs; ours has
// none. So these stand in their places.

// fails runs a statement that must fail on a new engine.
func fails(t *testing.T, h harness, name, statement string, kind *goerrors.Kind, text string) {
	t.Run(name, func(t *testing.T) {
		e, err := h.NewEngine(t)
		require.NoError(t, err)
		defer e.Close()
		if text == "" {
			suite.AssertErr(t, e, h, statement, nil, kind)
		} else {
			suite.AssertErr(t, e, h, statement, nil, kind, text)
		}
	})
}

func allFail(t *testing.T, h harness, tests []queries.QueryErrorTest) {
	for _, tt := range tests {
		fails(t, h, tt.Query, tt.Query, tt.ExpectedErr, tt.ExpectedErrStr)
	}
}

func queryErrors(t *testing.T, h harness) {
	h.Setup(setup.MydbData, setup.MytableData, setup.Pk_tablesData, setup.MyhistorytableData, setup.OthertableData,
		setup.SpecialtableData, setup.DatetimetableData, setup.NiltableData, setup.FooData)
	allFail(t, h, queries.ErrorQueries)
}

func updateErrors(t *testing.T, h harness) {
	h.Setup(setup.MydbData, setup.MytableData, setup.FloattableData, setup.TypestableData)
	for _, tt := range queries.GenericUpdateErrorTests {
		fails(t, h, tt.Name, tt.Query, nil, "")
	}
	h.Setup(setup.MydbData, setup.KeylessData, setup.Keyless_idxData, setup.PeopleData, setup.Pk_tablesData)
	allFail(t, h, queries.UpdateErrorTests)
	for _, script := range queries.UpdateErrorScripts {
		suite.TestScript(t, h, script)
	}
}

func blobs(t *testing.T, h harness) {
	h.Setup(setup.MydbData, setup.BlobData, setup.MytableData)
	strict := func(on int8) {
		require.NoError(t, sql.SystemVariables.SetGlobal(sql.NewEmptyContext(), "strict_mysql_compatibility", on))
	}
	strict(1) // for go-mysql-server's memory backend
	allFail(t, h, queries.BlobErrors)
	strict(0)
	e, err := h.NewEngine(t)
	require.NoError(t, err)
	defer e.Close()
	for _, tt := range queries.BlobQueries {
		suite.TestQueryWithEngine(t, h, e, tt)
	}
	for _, tt := range queries.BlobWriteQueries {
		suite.RunWriteQueryTest(t, h, tt)
	}
}
