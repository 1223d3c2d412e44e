#!/bin/sh
# Installs what the interoperability tests talk to: MariaDB 10.11 (and its engine RocksDB), sysbench,
# strace, and a MySQL (install-mysql.sh). Only on Debian and as root; elsewhere it says what is missing, and the
# tests that need it say so too when they skip. With --check it installs nothing.
# Exit code 0: everything is there.
set -u

missing=""
for pair in mariadbd:mariadb-server mariadb-binlog:mariadb-server sysbench:sysbench strace:strace; do
	PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair##*:}"
done
# The dumps of mydumper, MariaDB's second engine, and our grammar by the statements of MariaDB's own tests (20 MB to load), are tested
# where they are installed.
optional=""
[ -e /usr/share/mysql/mysql-test/main/select.test ] || optional=" mariadb-test-data"
command -v mydumper >/dev/null 2>&1 || optional="$optional mydumper"
plugins=$(PATH="$PATH:/usr/sbin:/sbin" mariadbd --no-defaults --user=mysql --verbose --help 2>/dev/null | sed -n 's/^plugin-dir *//p')
[ -n "$plugins" ] && [ -e "$plugins/ha_rocksdb.so" ] || optional="$optional mariadb-plugin-rocksdb"
# Following a MySQL is tested against one that lies in a directory of its own.
mysql=""
"$(dirname "$0")/install-mysql.sh" --check || mysql=" mysql"
[ -z "$missing$optional$mysql" ] && exit 0
if [ "${1:-}" = --check ]; then
	echo "not installed:$missing$optional$mysql" >&2
	[ -z "$missing" ]
	exit
fi

if [ -r /etc/debian_version ] && [ "$(id -u)" = 0 ]; then
	echo "installing for the interoperability tests:$missing" >&2
	export DEBIAN_FRONTEND=noninteractive
	# The package would start a server of its own; the tests start theirs.
	policy=/usr/sbin/policy-rc.d
	if [ ! -e "$policy" ]; then
		printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
		trap 'rm -f "$policy"' EXIT
	fi
	# shellcheck disable=SC2086 # a list of words
	if apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends $missing mariadb-client >&2; then
		for package in $optional; do
			apt-get install -y -qq --no-install-recommends "$package" >&2 || echo "not installed: $package" >&2
		done
		"$(dirname "$0")/install-mysql.sh" || echo "not installed: mysql" >&2
		exit 0
	fi
	echo "apt-get failed" >&2
fi
[ -z "$missing" ] && exit 0
echo "interoperability tests will be SKIPPED; not installed:$missing (on Debian, as root, make test installs them)" >&2
exit 1
