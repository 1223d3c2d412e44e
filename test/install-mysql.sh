#!/bin/sh
# Fetches a MySQL for the tests that follow one: the newest of Debian's unstable distribution, with the libraries it needs, into a directory of its
# own. Nothing of the system is changed: the packages are unpacked, not installed, and the server runs with its own libc. About 45 MB of packages and
# 12 MB of lists are loaded, and 260 MB of disk are used. Only on Debian; DURAMEN_MYSQL names another directory, so that it need
# not be root.
# With --check it says whether it is there.
#
#	mysqld   the command that starts the server
#	data     a data directory that it has made, whose root has no password; tests copy it
set -eu

dir=${DURAMEN_MYSQL:-/usr/local/lib/duramen-mysql}
[ -d "$dir/data/mysql" ] && exit 0
[ "${1:-}" = --check ] && exit 1

fail() {
	echo "$*" >&2
	exit 1
}
[ -r /etc/debian_version ] || fail "not a Debian"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keys" ] || fail "$keys is missing"
mkdir -p "$(dirname "$dir")"
work=$(mktemp -d "$dir.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages" "$work/root"
: >"$work/status"
echo "deb [signed-by=$keys] http://deb.debian.org/debian unstable main" >"$work/sources.list"
apt="-o Dir::Etc::SourceList=$work/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
	-o Dir::State::Lists=$work/lists -o Dir::State::status=$work/status -o Dir::Cache=$work/cache -o APT::Sandbox::User=root -o Acquire::Languages=none
	-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false -qq"
# shellcheck disable=SC2086 # lists of words
{
	apt-get $apt update >&2
	depends() {
		apt-cache $apt depends --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$@"
	}
	# What only plugins and programs of the package need is left out.
	direct=$(depends mysql-server-core | sed -n 's/^ *|\{0,1\}Depends: \(\(lib\|zlib\)[^<>: ]*\)$/\1/p' | grep -v -e '^libcurl' -e '^libfido' -e '^libmecab' -e '^libtirpc')
	packages=$(depends --recurse $direct | grep -e '^lib' -e '^zlib' | grep -v -e gconv | sort -u)
	(cd "$work/packages" && apt-get $apt download mysql-server-core $packages >&2)
}
for package in "$work"/packages/*.deb; do
	dpkg-deb --extract "$package" "$work/root"
done
rm -rf "$work/root/usr/share/doc" "$work/root/usr/share/locale" "$work/root/usr/share/man" "$work/root/usr/bin"
loader=$(cd "$work/root" && find usr/lib usr/lib64 -name 'ld-linux*' ! -type d | head -n 1)
libraries=$(cd "$work/root" && dirname "$(find usr/lib -name 'libc.so.6' | head -n 1)")
[ -n "$loader" ] && [ -n "$libraries" ] || fail "the packages have no libc"
cat >"$work/root/mysqld" <<END
#!/bin/sh
root=\$(dirname "\$0")
exec "\$root/$loader" --inhibit-cache --library-path "\$root/$libraries" "\$root/usr/sbin/mysqld" --no-defaults --basedir="\$root/usr" "\$@"
END
chmod 755 "$work/root/mysqld"
[ "$(id -u)" = 0 ] && user=--user=root || user=
# shellcheck disable=SC2086 # an option, or none
"$work/root/mysqld" --initialize-insecure $user --datadir="$work/root/data" --innodb-redo-log-capacity=8M --log-error-verbosity=1 >&2
rm "$work/root/data/auto.cnf" # each server makes a server_uuid of its own
chmod -R a+rX "$work/root"
rm -rf "$dir"
mv "$work/root" "$dir"
