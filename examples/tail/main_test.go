package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

func Example() {
	dir, err := os.MkdirTemp("", "tail")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := run(context.Background(), filepath.Join(dir, "data"), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0-1-1 CREATE DATABASE IF NOT EXISTS shop
	// 0-1-2 CREATE OR REPLACE TABLE shop.item (id INT PRIMARY KEY, name VARCHAR(40))
	// 0-1-3 INSERT INTO shop.item VALUES (1, 'plank'), (2, 'beam')
	// 0-1-3 Write_rows_v1: 21 bytes of row images
	// 0-1-4 UPDATE shop.item SET name = 'board' WHERE id = 1
	// 0-1-4 Update_rows_v1: 22 bytes of row images
}
