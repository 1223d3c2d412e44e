// Package profiles holds the option files that `duramen bench run` starts
// servers with: <server>-<profile>.cnf. All profiles of a server are alike but for what their names say.
// Ports, directories and the size of the cache, which is equal for all servers, are added when a server is started.
package profiles

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.cnf
var files embed.FS

// ErrNone is returned for a profile that a server does not have.
var ErrNone = errors.New("no such profile")

// Read returns the option file of a server (duramen, mariadb, mysql).
func Read(server, profile string) (string, error) {
	text, err := files.ReadFile(server + "-" + profile + ".cnf")
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: %s has %s, not %q", ErrNone, server, strings.Join(Of(server), ", "), profile)
	}
	return string(text), err
}

// Of lists the profiles of a server.
func Of(server string) []string {
	var names []string
	// The only error is a malformed pattern.
	paths, _ := fs.Glob(files, server+"-*.cnf")
	for _, p := range paths {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(p, server+"-"), ".cnf"))
	}
	slices.Sort(names)
	return names
}
