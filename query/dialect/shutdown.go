package dialect

import "github.com/duramendb/duramen/query/mysqlerr"

// Shutdown is SHUTDOWN.
type Shutdown struct{}

func (Shutdown) String() string { return "SHUTDOWN" }

// parseShutdown is SHUTDOWN [WAIT FOR ALL {SLAVES|REPLICAS}].
func parseShutdown(p *Parser) (Statement, error) {
	if p.Accept("WAIT", "FOR", "ALL") {
		return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "SHUTDOWN WAIT FOR ALL")
	}
	return Shutdown{}, p.Done()
}
