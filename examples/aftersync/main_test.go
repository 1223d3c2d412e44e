package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

func Example() {
	dir, err := os.MkdirTemp("", "aftersync")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := run(context.Background(), filepath.Join(dir, "data"), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// copied up to 0-1-1: CREATE DATABASE IF NOT EXISTS shop
	// copied up to 0-1-2: CREATE OR REPLACE TABLE shop.item (id INT PRIMARY KEY)
	// copied up to 0-1-3: INSERT INTO shop.item VALUES (1), (2)
}
