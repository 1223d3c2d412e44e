// Command generate writes, for each node of package tree, which nodes are in it (Walk) and how it is made anew if one of those changes
// (Rewrite). It reads the source of the package, in whose directory it runs:
//
//	cd query/dialect/tree && go run ./generate
//
// A node is a struct that can print itself. A field holds nodes if its type is a node, an interface of nodes, or a name, or a list or a plain
// struct of those. What it does not understand is an error, so no field is left out.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := generate("."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// generate reads the package in a directory, and writes its files.
func generate(dir string) error {
	files, err := generated(dir)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generated are the files for the package in a directory, by their names.
func generated(dir string) (map[string][]byte, error) {
	p, err := read(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, write := range map[string]func(*structs) ([]byte, error){walkFile: writeWalk, rewriteFile: writeRewrite} {
		if files[name], err = write(p); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// The files that are written.
const (
	walkFile    = "walk_generated.go"
	rewriteFile = "rewrite_generated.go"
)
