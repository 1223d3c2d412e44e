package main

import (
	"fmt"
	"strings"
)

// sqlLibraries are go-mysql-server and its parser.
const sqlLibraries = "github.com/dolthub/"

// checkDoor tells what is wrong with an import of go-mysql-server, or "".
func checkDoor(pkg, path string, inTest bool) string {
	switch {
	case !strings.HasPrefix(path, sqlLibraries), inTest, testOnly(pkg):
		return ""
	case pkg == "query/gms", strings.HasPrefix(pkg, "query/gms/"):
		return ""
	}
	return fmt.Sprintf("%s must not import %s: go-mysql-server stands behind one door, query/gms", pkg, path)
}
