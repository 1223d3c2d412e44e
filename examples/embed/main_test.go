package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

func Example() {
	dir, err := os.MkdirTemp("", "embed")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for range 2 { // the second time finds what the first has left
		if err := run(context.Background(), filepath.Join(dir, "data"), os.Stdout); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// visits: 1
	// visits: 2
}
