package main

import (
	"fmt"
	"strings"
)

const module = "github.com/duramendb/duramen"

// storage are the packages below SQL.
var storage = map[string]bool{
	"logpos": true, "gtid": true, "mysql": true, "binlog": true, "binlog/event": true, "row": true, "catalog": true,
	"engine": true, "engine/set": true, "engine/btree": true, "engine/lsm": true, "engine/memory": true, "engine/cowtree": true, "engine/sorted": true, "replay": true, "txn": true, "txn/lock": true, "txn/keyset": true, "txn/spill": true, "txn/rowlog": true, "commit": true, "commit/protocol": true, "commit/protocol/enginelog": true, "commit/protocol/redo": true, "commit/protocol/twopc": true, "store": true, "store/shipment": true,
	"replication/source": true, "replication/replica/primary": true, "replication/replica/convert": true, "replication/replica/filter": true, "binlog/inspect": true, "replication/replica": true, "replication/replica/apply": true, "replication/source/semisync": true, "replication/replica/follow": true,
}

// foreign are what storage must not import.
var foreign = []string{"github.com/dolthub/"}

// pebble is the library of one engine; its file systems are everybody's.
const pebble, pebbleFiles = "github.com/cockroachdb/pebble/v2", "github.com/cockroachdb/pebble/v2/vfs"

// bbolt is the library of another one.
const bbolt = "go.etcd.io/bbolt"

// mayImport lists, for each package, the packages of ours that it may import.
// Arrows point down only: no package ever stands in the list of one that it
// imports. Tests of a package may in addition import testOnly.
var mayImport = map[string]string{
	"logpos":               "",
	"gtid":                 "",
	"mysql":                "",
	"binlog/event":         "mysql gtid",
	"row":                  "mysql",
	"binlog":               "logpos binlog/event gtid internal/invariants",
	"catalog":              "mysql row binlog/event",
	"binlog/inspect":       "logpos mysql binlog binlog/event gtid catalog",
	"engine":               "logpos",
	"engine/sorted":        "engine",
	"engine/cowtree":       "",
	"engine/set":           "engine catalog internal/invariants",
	"engine/btree":         "logpos engine engine/cowtree internal/invariants",
	"engine/lsm":           "logpos engine internal/invariants",
	"engine/memory":        "engine engine/cowtree internal/invariants",
	"txn/keyset":           "",
	"txn/lock":             "txn/keyset",
	"txn/spill":            "txn/keyset",
	"txn/rowlog":           "mysql catalog row binlog/event",
	"txn":                  "logpos mysql engine engine/set catalog row binlog/event gtid txn/lock txn/rowlog txn/spill internal/invariants",
	"replay":               "logpos binlog engine binlog/event gtid catalog row",
	"commit":               "logpos binlog engine txn binlog/event gtid catalog internal/invariants",
	"commit/protocol":      "",
	"commit/protocol/redo": "",

	"commit/protocol/enginelog": "logpos binlog binlog/event commit/protocol/redo",

	"commit/protocol/twopc":       "logpos binlog engine engine/set txn commit commit/protocol/enginelog commit/protocol/redo binlog/event gtid catalog",
	"store":                       "logpos binlog engine engine/set txn commit commit/protocol commit/protocol/enginelog commit/protocol/redo commit/protocol/twopc replay catalog row binlog/event gtid",
	"store/shipment":              "store",
	"query/gms/collation":         "mysql row query/mysqlerr query/types/charset",
	"replication/source":          "logpos binlog binlog/event gtid",
	"replication/replica/primary": "binlog/event gtid logpos",
	"replication/replica/convert": "binlog/event catalog mysql row",
	"replication/replica/filter":  "",
	"replication/replica":         "binlog/event gtid replication/replica/primary",
	"replication/replica/apply":   "binlog/event catalog commit gtid replication/replica/convert replication/replica/filter replication/replica/primary row txn",
	"replication/source/semisync": "logpos",
	"replication/replica/follow":  "binlog/event gtid logpos replication/replica/primary",
	"query/mysqlerr":              "",
	"query/mysqlerr/storage":      "query/mysqlerr txn binlog", // the one place that maps storage errors to numbers
	"query/gms/variable":          "query/mysqlerr query/sysvar",
	"query/gms/gmserr":            "query/mysqlerr query/mysqlerr/storage query/sysvar query/types/charset",
	"query/privilege":             "query/dialect",
	"query/engines":               "catalog engine mysql query/mysqlerr query/sysvar",
	"query/gms/earlier":           "query/accounts query/privilege",
	"query/gms/needs":             "query/privilege",
	"query/loadfile":              "",
	"query/serverfile":            "",
	"query/outfile":               "query/mysqlerr query/types/charset",
	"query/sysvar":                "query/mysqlerr",
	"query/gms/fault":             "",
	"query/memory":                "query/mysqlerr",
	"query/gms/function":          "query/memory query/mysqlerr query/sysvar query/gms/tables",
	"query/gms/evalcall":          "query/eval query/eval/aggregate query/eval/function/json query/gms/collation query/gms/function query/gms/schema query/memory query/mysqlerr query/types query/types/charset query/types/decimal",
	"query/dialect/lex":           "",
	"query/dialect":               "query/dialect/lex query/mysqlerr",
	"query/dialect/tree":          "query/dialect/lex",
	"query/dialect/shape":         "query/dialect query/dialect/lex",
	"query/dialect/facts":         "query/dialect/tree",
	"query/dialect/grammar":       "query/dialect/lex query/dialect/tree query/mysqlerr",
	"query/dialect/source":        "query/dialect query/dialect/facts query/dialect/grammar query/dialect/tree",
	"query/dialect/own":           "query/dialect query/dialect/lex query/dialect/source query/dialect/tree query/mysqlerr",
	"query/gms/nesting":           "query/eval/window query/gms/fault query/mysqlerr",
	"query/gms/viewtext":          "query/dialect query/dialect/grammar query/dialect/tree query/mysqlerr",
	"query/floattext":             "",
	"query/types/decimal":         "",
	"query/types/temporal":        "",
	"query/types/charset":         "",
	"query/fulltext":              "query/mysqlerr query/types/charset",
	"query/clienttext":            "query/dialect query/dialect/lex query/mysqlerr query/types/charset",
	"query/result":                "mysql query/floattext",
	"query/types":                 "query/mysqlerr query/types/charset query/types/decimal query/types/temporal",
	"query/types/assign":          "query/floattext query/mysqlerr query/types query/types/charset query/types/decimal query/types/temporal",
	"query/result/typed":          "catalog mysql query/relation query/result query/types query/types/charset query/types/decimal query/types/temporal",
	"query/eval":                  "query/floattext query/mysqlerr query/types query/types/assign query/types/charset query/types/decimal query/types/temporal row",
	"query/eval/operator":         "query/dialect/tree query/eval query/floattext query/mysqlerr query/types query/types/assign query/types/charset query/types/decimal query/types/temporal row",

	"query/eval/key":                "query/eval query/mysqlerr query/types query/types/charset query/types/decimal query/types/temporal row",
	"query/eval/aggregate":          "query/eval query/eval/function/json query/eval/key query/floattext query/mysqlerr query/types query/types/charset query/types/decimal query/types/temporal",
	"query/eval/window":             "query/eval query/eval/aggregate query/mysqlerr query/types",
	"query/eval/function/number":    "query/dialect/tree query/eval query/eval/operator query/floattext query/mysqlerr query/types query/types/charset query/types/decimal query/types/temporal",
	"query/eval/function/text/pcre": "",
	"query/eval/function/text":      "query/eval/function/text/pcre query/dialect/tree query/eval query/eval/operator query/floattext query/mysqlerr query/types query/types/charset query/types/decimal query/types/temporal",
	"query/eval/function/date":      "query/clienttext query/dialect/tree query/eval query/eval/operator query/floattext query/mysqlerr query/types query/types/charset query/types/decimal query/types/temporal",
	"query/eval/function/json":      "query/dialect/tree query/eval query/eval/operator query/floattext query/mysqlerr query/types query/types/charset query/types/decimal query/types/temporal",
	"query/eval/function/info":      "query/dialect/tree query/eval query/eval/operator query/floattext query/mysqlerr query/types query/types/assign query/types/charset query/types/decimal query/types/temporal",
	"query/eval/function":           "query/eval query/eval/function/date query/eval/function/info query/eval/function/json query/eval/function/number query/eval/function/text query/eval/operator",

	"query/relation":        "catalog mysql query/eval query/types query/types/charset query/types/decimal query/types/temporal row",
	"query/bind":            "query/clienttext query/dialect/tree query/eval query/eval/aggregate query/eval/function query/eval/function/date query/eval/function/text query/eval/operator query/mysqlerr query/types query/types/charset query/types/decimal",
	"query/partition":       "catalog query/bind query/dialect/grammar query/dialect/tree query/eval query/gms/ddltext query/mysqlerr query/relation query/types query/types/assign query/types/charset query/types/temporal row",
	"query/accounts":        "query/privilege",
	"query/account":         "query/accounts query/dialect query/mysqlerr query/privilege",
	"query/gms/schema":      "catalog mysql query/gms/collation query/mysqlerr query/types query/types/assign query/types/temporal row",
	"query/gms/tables":      "catalog mysql query/dialect query/dialect/source query/dialect/tree query/engines query/gms/collation query/gms/ddltext query/gms/fault query/gms/relation query/gms/schema query/mysqlerr query/partition query/relation query/types query/types/assign query/types/charset query/types/temporal row txn",
	"query/gms/ddltext":     "catalog mysql query/dialect/lex query/types/charset query/types/temporal",
	"query/gms/infoschema":  "catalog mysql query/engines query/gms/collation query/gms/ddltext query/gms/schema query/gms/tables query/types/charset",
	"query/gms/semantics":   "mysql query/eval/function/json query/floattext query/fulltext query/gms/collation query/gms/column query/gms/computed query/gms/evalcall query/gms/fault query/gms/function query/gms/schema query/gms/tables query/mysqlerr query/types query/types/assign query/types/charset query/types/decimal query/types/temporal",
	"query/gms/compare":     "query/gms/collation query/gms/function query/gms/schema query/mysqlerr query/types/charset",
	"query/gms/triggerbody": "query/gms/column query/mysqlerr",
	"query/gms/exec":        "query/floattext query/gms/compare query/gms/computed query/gms/fault query/gms/function query/gms/jsontable query/gms/tables query/memory query/mysqlerr",
	"query/gms/jsontable":   "query/eval/function/json query/gms/schema query/mysqlerr query/relation query/types query/types/assign query/types/charset query/types/temporal",
	"query/gms/alter":       "catalog mysql query/dialect query/engines query/gms/collation query/gms/ddltext query/gms/nesting query/gms/schema query/gms/tables query/mysqlerr query/types/charset",
	"query/gms/parse":       "query/dialect query/dialect/source query/dialect/tree query/eval/function query/floattext query/gms/collation query/gms/fault query/gms/function query/gms/nesting query/gms/tables query/mysqlerr query/types query/types/assign query/types/charset query/types/decimal query/types/temporal",
	"query/gms/value":       "query/floattext query/gms/schema query/mysqlerr query/result query/types/charset",
	"query/gms/loaddata":    "query/gms/function query/gms/schema query/loadfile query/mysqlerr",
	"query/process":         "query/mysqlerr",
	"query/userlock":        "query/mysqlerr txn txn/lock",
	"query/statement":       "query/dialect/facts query/dialect/tree query/mysqlerr",
	"query/gms/syntax":      "query/dialect/facts query/dialect/source query/dialect/tree query/privilege query/statement query/status",
	"query/gms/column":      "mysql query/dialect query/dialect/facts query/eval query/result/typed query/types query/types/decimal query/gms/function query/gms/parse query/gms/schema query/gms/value query/relation query/result query/types/charset",
	"query/gms/computed":    "query/bind query/dialect query/dialect/grammar query/dialect/tree query/eval query/eval/aggregate query/eval/function query/eval/window query/gms/column query/gms/compare query/gms/function query/gms/schema query/memory query/mysqlerr query/types query/types/charset query/types/decimal query/types/temporal",
	"query/gms/setop":       "query/eval query/eval/operator query/floattext query/gms/collation query/gms/column query/gms/computed query/gms/parse query/mysqlerr query/types query/types/charset",
	"query/gms/outfile":     "mysql query/dialect query/mysqlerr query/outfile query/result query/types/charset",
	"query/status":          "query/dialect query/dialect/tree",
	"query/session":         "binlog/event catalog commit gtid mysql query/account query/accounts query/clienttext query/dialect query/dialect/source query/engines query/memory query/mysqlerr query/privilege query/process query/result query/statement query/status query/sysvar query/types/charset query/userlock replication/source/semisync store txn txn/lock",
	"query/access":          "query/account query/accounts query/dialect query/mysqlerr query/privilege query/session query/statement",
	"query/gms":             "binlog binlog/event catalog gtid logpos mysql query/access query/account query/accounts query/bind query/clienttext query/dialect query/dialect/facts query/dialect/source query/dialect/tree query/engines query/eval query/eval/function query/gms/alter query/gms/collation query/gms/column query/gms/compare query/gms/computed query/gms/ddltext query/gms/evalcall query/gms/exec query/gms/fault query/gms/function query/gms/gmserr query/gms/infoschema query/gms/loaddata query/gms/needs query/gms/nesting query/gms/outfile query/gms/parse query/gms/relation query/gms/schema query/gms/semantics query/gms/setop query/gms/syntax query/gms/tables query/gms/triggerbody query/gms/value query/gms/variable query/gms/viewtext query/memory query/mysqlerr query/partition query/placeholder query/privilege query/process query/relation query/result query/routine query/serverfile query/session query/statement query/sysvar query/types query/types/charset query/types/decimal query/types/temporal txn",
	"query/exec":            "catalog query/eval query/eval/aggregate query/eval/key query/mysqlerr query/partition query/plan query/relation query/types query/types/assign row txn",
	"query/plan":            "catalog mysql query/bind query/clienttext query/dialect/grammar query/dialect/tree query/eval query/eval/aggregate query/eval/operator query/fulltext query/mysqlerr query/partition query/relation query/types query/types/assign query/types/charset query/types/decimal query/types/temporal row",
	"query/routine":         "mysql query/dialect/grammar query/dialect/tree query/mysqlerr query/result query/session query/types query/types/assign query/types/charset query/types/decimal query/types/temporal",
	"query/native":          "catalog mysql query/access query/bind query/dialect query/dialect/grammar query/dialect/shape query/dialect/source query/dialect/tree query/eval query/exec query/floattext query/loadfile query/mysqlerr query/outfile query/partition query/plan query/privilege query/relation query/result query/result/typed query/session query/statement query/status query/sysvar query/types query/types/assign query/types/charset query/types/decimal query/types/temporal row txn",
	"query/placeholder":     "query/dialect query/mysqlerr query/result",
	"query/admin":           "binlog binlog/event catalog commit engine gtid logpos mysql query/account query/dialect query/dialect/own query/dialect/source query/engines query/gms query/gms/column query/gms/ddltext query/gms/infoschema query/gms/parse query/gms/tables query/mysqlerr query/privilege query/result query/session query/statement query/sysvar replication/replica replication/replica/primary store store/shipment txn txn/lock",
	"query/gms/relation":    "catalog query/gms/collation query/gms/schema query/mysqlerr query/relation row",
	"query":                 "binlog/event catalog commit gtid logpos mysql query/access query/account query/accounts query/admin query/bind query/clienttext query/dialect query/dialect/source query/dialect/tree query/engines query/eval query/gms query/gms/ddltext query/gms/earlier query/gms/parse query/gms/variable query/logged query/memory query/mysqlerr query/mysqlerr/storage query/native query/placeholder query/privilege query/process query/result query/routine query/serverfile query/session query/status query/sysvar query/types query/types/assign query/types/charset replication/replica replication/replica/apply replication/replica/convert replication/replica/filter replication/replica/follow replication/replica/primary replication/source/semisync store txn",
	"query/logged":          "binlog/event query/clienttext query/dialect query/dialect/facts query/dialect/source query/dialect/tree query/eval/function/number query/mysqlerr query/sysvar query/types query/types/charset query/types/decimal",
	"wire":                  "mysql query query/account query/accounts query/admin query/mysqlerr query/mysqlerr/storage query/result query/session",
	"option":                "",
	"server":                "binlog commit/protocol engine engine/btree engine/lsm engine/memory gtid internal/cowfs logpos option query query/gms query/gms/collation query/mysqlerr query/session query/sysvar replication/replica replication/source replication/source/semisync row store wire",
	"clone":                 "commit/protocol gtid query/logged query/types/charset replication/replica/follow replication/replica/primary server store store/shipment",
	"bench/stat":            "",
	"bench/chart":           "",
	"bench/turns":           "",
	"bench/device":          "bench/stat bench/chart bench/turns",
	"bench/slowdisk":        "",
	"bench/child":           "",
	"bench/usage":           "",
	"bench/profiles":        "",
	"bench/load":            "bench/child bench/usage",
	"bench/target":          "bench/child bench/profiles bench/load",
	"bench/suite":           "bench/chart bench/device bench/load bench/target bench/usage",
	"bench/report":          "bench/chart bench/device bench/load bench/stat bench/suite bench/target",
	"bench/logbench":        "mysql bench/stat bench/chart bench/turns bench/device binlog binlog/event gtid catalog engine engine/lsm txn commit",
	"bench/position":        "bench/chart bench/device bench/load bench/stat bench/target bench/turns bench/usage binlog/event catalog commit/protocol commit/protocol/twopc engine engine/btree engine/lsm mysql row store txn",
	"bench/plan":            "",
	"bench/checkpointbench": "bench/stat bench/chart bench/turns bench/device bench/load bench/target",
	"bench/enginebench":     "bench/stat bench/chart bench/turns bench/device bench/usage engine logpos",
	"cmd/duramen":           "clone server option binlog binlog/inspect engine engine/btree engine/lsm engine/memory bench/chart bench/checkpointbench bench/device bench/enginebench bench/logbench bench/plan bench/position bench/slowdisk bench/load bench/report bench/suite bench/target",
	".":                     "server option logpos binlog",
	"examples/embed":        "",
	"examples/engine":       "engine engine/sorted logpos",
	"examples/tail":         "binlog binlog/event logpos",
	"examples/aftersync":    "binlog logpos",
	"internal/cowfs":        "",
	"internal/invariants":   "",
	"internal/lint":         "",
	"internal/deadcode":     "",
	"internal/breakage":     "internal/steadymutex/overlay",

	"query/types/charset/generate": "",
	"query/dialect/tree/generate":  "",
	"internal/steadymutex":         "internal/steadymutex/overlay",
	"internal/steadymutex/overlay": "",
}

// testOnly are packages made for tests: they may import anything, and nothing
// but tests may import them.
func testOnly(pkg string) bool {
	return strings.HasPrefix(pkg, "test/") || strings.HasSuffix(pkg, "test")
}

// checkImport tells what is wrong with an import, or "".
func checkImport(pkg, path string, inTest bool) string {
	if storage[pkg] {
		for _, f := range foreign {
			if strings.HasPrefix(path, f) {
				return fmt.Sprintf("%s is a storage package and must not import %s: SQL stays above package store", pkg, path)
			}
		}
	}
	if pkg != "engine/lsm" && !inTest && !testOnly(pkg) && path != pebbleFiles && (path == pebble || strings.HasPrefix(path, pebble+"/")) {
		return fmt.Sprintf("%s must not import %s: only engine/lsm knows Pebble (except for its vfs)", pkg, path)
	}
	if pkg != "engine/btree" && (path == bbolt || strings.HasPrefix(path, bbolt+"/")) {
		return fmt.Sprintf("%s must not import %s: only engine/btree knows bbolt", pkg, path)
	}
	if wrong := checkDoor(pkg, path, inTest); wrong != "" {
		return wrong
	}
	ours, ok := strings.CutPrefix(path, module+"/")
	if !ok || testOnly(pkg) {
		return ""
	}
	allowed, known := mayImport[pkg]
	if !known {
		return fmt.Sprintf("package %s is not in the import table of internal/lint/imports.go: give it its place there and in ARCHITECTURE.md", pkg)
	}
	for _, a := range strings.Fields(allowed) {
		if a == ours {
			return ""
		}
	}
	if inTest {
		// A test may build what its package is used with.
		return ""
	}
	return fmt.Sprintf("package %s must not import %s: arrows point down only (table in internal/lint/imports.go)", pkg, ours)
}

// cycle returns a package that the table lets import itself in the end, or "".
func cycle() string {
	var reaches func(from, to string, seen map[string]bool) bool
	reaches = func(from, to string, seen map[string]bool) bool {
		for _, next := range strings.Fields(mayImport[from]) {
			if next == to {
				return true
			}
			if !seen[next] {
				seen[next] = true
				if reaches(next, to, seen) {
					return true
				}
			}
		}
		return false
	}
	for pkg := range mayImport {
		if reaches(pkg, pkg, map[string]bool{}) {
			return pkg
		}
	}
	return ""
}
