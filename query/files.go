package query

import (
	"fmt"

	"github.com/duramendb/duramen/query/serverfile"
)

// fileAccess says where SQL may read and write files, by secure_file_priv.
func (e *Engine) fileAccess() (serverfile.Policy, error) {
	const name = "secure_file_priv"
	v, given := e.cfg.Variables[name]
	if !given {
		v, given = e.cfg.Variables["secure-file-priv"]
	}
	dir, _ := v.(string)
	files, err := serverfile.New(e.Store.Dir(), dir, given, given && v == nil)
	if err != nil {
		return files, fmt.Errorf("option %s: %w", name, err)
	}
	var shown any
	if value, null := files.String(); !null {
		shown = value
	}
	return files, e.Globals.Configure(name, shown)
}
