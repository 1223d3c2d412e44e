package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/duramendb/duramen/engine/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, func(*testing.T) enginetest.Harness { return enginetest.NewFiles(treeKind{}, enginetest.Can{}) })
}

func Example() {
	dir, err := os.MkdirTemp("", "engine")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := run(dir, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// TREE has the second change: false
	// first: change
	// the log has to be read from 000001:100
}
