package suite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
)

// tableSets are the sets of tables that a contender gets.
func (c *Config) tableSets(who target.Contender) []load.Set {
	var sets []load.Set
	for _, prefix := range c.Sets() {
		if engine, ok := who.Engine(prefix); ok {
			sets = append(sets, load.Set{Prefix: prefix, Engine: engine})
		}
	}
	return sets
}

// requireEngines reports engines that the server does not know. Some servers would take another one instead.
func requireEngines(ctx context.Context, s server, sets []load.Set) error {
	var has []string
	for _, set := range sets {
		if set.Engine == "" {
			continue
		}
		if has == nil {
			var err error
			if has, err = s.Engines(ctx); err != nil {
				return err
			}
		}
		if !slices.ContainsFunc(has, func(e string) bool { return strings.EqualFold(e, set.Engine) }) {
			return fmt.Errorf("the server does not know the engine %s for %s tables; it has %s (--engines names others)", set.Engine, set.Prefix, strings.Join(has, ", "))
		}
	}
	return nil
}

// madeEngines asks which engine each set of tables is in. Sets that were to have different engines must not share one:
// nothing would cross engines then.
func madeEngines(ctx context.Context, s server, sets []load.Set) (map[string]string, error) {
	var made map[string]string
	asked := map[string]load.Set{} // by the engine that the server tells
	for _, set := range sets {
		if set.Engine == "" {
			continue
		}
		engine, err := s.TableEngine(ctx, set.Prefix+"1")
		if err != nil {
			return nil, err
		}
		if other, taken := asked[engine]; taken && !strings.EqualFold(other.Engine, set.Engine) {
			return nil, fmt.Errorf("%s tables (ENGINE=%s) and %s tables (ENGINE=%s) are both in %s", other.Prefix, other.Engine, set.Prefix, set.Engine, engine)
		}
		asked[engine] = set
		if made == nil {
			made = map[string]string{}
		}
		made[set.Prefix] = engine
	}
	return made, nil
}
