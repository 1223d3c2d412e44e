package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGenerated: what is in the repository is what the program writes today.
func TestGenerated(t *testing.T) {
	files, err := generated("..")
	require.NoError(t, err)
	require.Len(t, files, 2)
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join("..", name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), "%s is not up to date: cd query/dialect/tree && go run ./generate", name)
	}
}

// TestNotUnderstood: a field that may hold nodes in a way that is not known is an error, and is not left out.
func TestNotUnderstood(t *testing.T) {
	const node = "package tree\ntype Node interface { print() }\ntype Ident struct{ Span }\nfunc (*Ident) print() {}\ntype Span struct{}\n" +
		"type Part struct { X Node }\ntype Leaf struct { Span }\nfunc (*Leaf) print() {}\nfunc (*N) print() {}\ntype N struct {\nSpan\nX "
	for field, right := range map[string]bool{
		"*Leaf": true, "[]*Leaf": true, "Ident": true, "Part": true, "[][]Part": true, "string": true,
		"map[string]Node": false, "*Part": false, "Leaf": false, "[2]Node": false, "func() Node": false,
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "n.go"), []byte(node+field+"\n}\n"), 0o644))
		_, err := generated(dir)
		require.Equal(t, right, err == nil, "%s: %v", field, err)
	}
}
