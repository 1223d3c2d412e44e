# Targets that test, included by the Makefile. What each one runs, and how large:
#
#   test        everything, in slices that fit into CI; installs the peers on Debian as root
#   test-race   unit tests under the race detector (needs a C compiler), with a thinner slice of the failing disks
#   test-full   the acceptance tests at the sizes of the acceptance list (about an hour)
#   lint        go vet, the project's own rules, golangci-lint where it is installed
#   crash       the crash laboratory: SEEDS seeds from SEED on; what fails is kept in KEEP
#   crash-full  kill -9 under load, 100 rounds, then all parts of the laboratory
#   breakages   deliberate breakages, each of which the laboratory has to notice
#   fuzz        every fuzz target, FUZZTIME each
#   bench       beside MariaDB 10.11 on the same disk, in turns; prints ratios
#   enginetest  go-mysql-server's suite over our storage and over its own memory backend

GOTEST := $(GO) test -tags $(TAGS)
PEERS   = $$(sh test/install-peers.sh && echo 1)

.PHONY: test test-race test-full lint crash crash-full breakages breakages-slice fuzz bench enginetest

test: build
	DURAMEN_REQUIRE_PEERS=$(PEERS) DURAMEN_BIN=$(CURDIR)/bin/duramen $(GOTEST) -timeout 20m ./...

test-race:
	STRIDE=397 CGO_ENABLED=1 $(GOTEST) -race -timeout 30m $$($(GO) list -tags $(TAGS) ./... | grep -v /test/)

test-full: build
	DURAMEN_TEST_SCALE=full DURAMEN_REQUIRE_PEERS=$(PEERS) DURAMEN_BIN=$(CURDIR)/bin/duramen \
		$(GOTEST) -v -p 1 -timeout 3h ./test/...

lint:
	$(GO) vet -tags $(TAGS) ./...
	$(GO) run ./internal/lint
	@if command -v golangci-lint >/dev/null; then golangci-lint run --build-tags $(TAGS); else \
		echo "golangci-lint is not installed: go vet and internal/lint passed, the rest of .golangci.yaml was not checked"; fi

SEED  ?= 1
SEEDS ?= 2000
KEEP  ?= /tmp/duramen-crash
LABTEST ?= TestExact
# Without cgo nobody is out of sight of the laboratory's scheduler, and with the steady mutex its order does not depend
# on the machine: seeds repeat exactly.
LAB    = CGO_ENABLED=0 SEED=$(SEED) SEEDS=$(SEEDS) KEEP=$(KEEP) $(GOTEST) -overlay "$$($(GO) run ./internal/steadymutex)" -v -count 1 -timeout 0

crash:
	$(LAB) -run '^$(LABTEST)$$' ./store/crashtest

crash-full: build
	$(LAB) -run 'TestExact|TestHistories|TestFree' ./store/crashtest
	DURAMEN_TEST_SCALE=full DURAMEN_BIN=$(CURDIR)/bin/duramen $(GOTEST) -v -timeout 2h ./test/crash

# All apply, and a part of them is tried: another one every day.
breakages-slice:
	$(GO) run ./internal/breakage -check
	CGO_ENABLED=0 $(GO) run ./internal/breakage -slice $$(( $$(date +%s) / 86400 % 10 + 1 ))/10

breakages:
	CGO_ENABLED=0 $(GO) run ./internal/breakage

fuzz:
	@set -e; for file in $$(grep -rl '^func Fuzz' --include='*_test.go' .); do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
			echo "$$(dirname $$file) $$target"; \
			$(GOTEST) -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 2s $$(dirname $$file); \
		done; done

bench: build
	DURAMEN_BIN=$(CURDIR)/bin/duramen $(GOTEST) -v -count 1 -timeout 1h -run '^$$' -bench . -benchtime 1x ./test/bench

enginetest:
	DURAMEN_TEST_SCALE=full $(GOTEST) -v -count 1 -timeout 2h ./test/enginetest
