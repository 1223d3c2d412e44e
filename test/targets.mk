# Targets that test, included by the Makefile; `make help` prints what stands after the two hash signs.

GOTEST := $(GO) test -tags $(TAGS)
# Without the profile that the server is optimised by: else everything below cmd/duramen is compiled once more for its tests.
PLAIN  := -pgo=off
# Prints what go test prints and, at the end, the skipped tests with their reasons.
GOTESTSUM := v1.13.0
# Runs what .golangci.yaml lists.
GOLANGCI  := v2.5.0
# 1 where everything that the tests talk to is installed: a test that misses something then fails instead of skipping.
PEERS   = $$(sh test/install-peers.sh --check >/dev/null 2>&1 && echo 1)

.PHONY: check peers test test-race test-invariants test-full lint crash crash-full breakages breakages-slice fuzz bench benchmarks enginetest

check: ## under a minute, installs nothing: vet, the project's own rules, the tests of the packages below the store
	$(GO) vet -tags $(TAGS) ./...
	$(GO) run ./internal/lint
	$(GOTEST) -short ./binlog/event ./catalog ./commit ./engine/... ./gtid ./logpos ./mysql ./option ./row ./txn/...

peers: ## install what the tests talk to (MariaDB 10.11, sysbench, strace), on Debian as root; says what it cannot
	@sh test/install-peers.sh || true

test: build peers ## everything, in slices that fit into CI; at its end it says what was skipped, and why
	DURAMEN_REQUIRE_PEERS=$(PEERS) DURAMEN_BIN=$(CURDIR)/bin/duramen $(GO) run gotest.tools/gotestsum@$(GOTESTSUM) \
		--format standard-quiet -- -tags $(TAGS) -timeout 20m ./...

# Not under the race detector, which makes them ten times slower: functions that keep no state between goroutines, and tests that go through every crash or
# every failing operation of one life after the other. Other tests of the same packages stay.
NO_RACE_PACKAGES := /test/|/query/types/|/query/dialect/|/query/plan$$|/bench/chart$$
NO_RACE_TESTS    := ^(Test(Exact|Engines|Histories|Protocols|ExactRepeats|(Statements|Definitions)AtAllPoints|CrashEverywhere|ResetCrashes|EveryByte.*|ClosedSegmentFlipped))$$

test-race: ## unit tests under the race detector (needs a C compiler), with thinner slices of crashes and failing disks
	STRIDE=397 SEEDS=8 CGO_ENABLED=1 $(GOTEST) $(PLAIN) -race -short -timeout 30m -skip '$(NO_RACE_TESTS)' \
		$$($(GO) list -tags $(TAGS) ./... | grep -vE '$(NO_RACE_PACKAGES)')

# What stands on the log and the engines, and with it what they lend.
test-invariants: ## the tests of the storage packages with their invariants checked (build tag invariants)
	$(GO) test -tags $(TAGS),invariants $(PLAIN) -short -timeout 10m ./binlog ./commit ./engine/... ./internal/invariants ./replay ./replication/source ./store ./txn/... ./query

test-full: build peers ## the acceptance tests at the sizes of the acceptance list (about an hour)
	DURAMEN_TEST_SCALE=full DURAMEN_REQUIRE_PEERS=$(PEERS) DURAMEN_BIN=$(CURDIR)/bin/duramen \
		$(GOTEST) -v -p 1 -timeout 3h ./test/...

lint: ## the project's own rules, golangci-lint (with what go vet finds), dead code; installs nothing, but builds the tools once
	$(GO) run ./internal/lint
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI) run --allow-parallel-runners
	$(GO) run ./internal/deadcode

SEED  ?= 1
SEEDS ?= 2000
KEEP  ?= /tmp/duramen-crash
LABTEST ?= TestExact
# Without cgo nobody is out of sight of the laboratory's scheduler, and with the steady mutex its order does not depend
# on the machine: seeds repeat exactly.
LAB    = CGO_ENABLED=0 SEED=$(SEED) SEEDS=$(SEEDS) KEEP=$(KEEP) $(GOTEST) -overlay "$$($(GO) run ./internal/steadymutex)" -v -count 1 -timeout 0

crash: ## the crash laboratory: SEEDS seeds from SEED on; what fails is kept in KEEP
	$(LAB) -run '^$(LABTEST)$$' ./store/crashtest

crash-full: build ## kill -9 under load, 100 rounds, then all parts of the laboratory
	$(LAB) -run 'TestExact|TestHistories|TestFree' ./store/crashtest
	DURAMEN_TEST_SCALE=full $(GOTEST) -v -timeout 2h -run 'AtAllPoints' ./store/crashtest ./query
	DURAMEN_TEST_SCALE=full DURAMEN_BIN=$(CURDIR)/bin/duramen $(GOTEST) -v -timeout 2h ./test/crash

# Which part depends on the commit, so that a run can be repeated.
breakages-slice: ## do all deliberate breakages still apply? and try a tenth of them
	$(GO) run ./internal/breakage -check
	CGO_ENABLED=0 $(GO) run ./internal/breakage -slice $$(( 0x$$(git rev-parse --short=7 HEAD) % 10 + 1 ))/10

breakages: ## all deliberate breakages, each of which the laboratory has to notice
	CGO_ENABLED=0 $(GO) run ./internal/breakage

fuzz: ## every fuzz target, FUZZTIME each
	@set -e; for file in $$(grep -rl '^func Fuzz' --include='*_test.go' .); do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
			echo "$$(dirname $$file) $$target"; \
			$(GOTEST) -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 2s $$(dirname $$file); \
		done; done

bench: build ## beside MariaDB 10.11 on the same disk, in turns; prints ratios
	DURAMEN_BIN=$(CURDIR)/bin/duramen $(GOTEST) -v -count 1 -timeout 1h -run '^$$' -bench . -benchtime 1x ./test/bench

BENCH_OUT    ?= bench-results
BENCH_BUDGET ?= 55m

benchmarks: build ## all suites of docs/benchmarks.md in about BENCH_BUDGET (55m), into BENCH_OUT; goes on with what is missing
	./bin/duramen bench all --out $(BENCH_OUT) --budget $(BENCH_BUDGET)

enginetest: ## go-mysql-server's suite through our sessions
	DURAMEN_TEST_SCALE=full $(GOTEST) -v -count 1 -timeout 2h ./test/enginetest
