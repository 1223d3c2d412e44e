// Package option reads a server's options as MariaDB does: from option files
// in my.cnf format and from the command line.
//
// A name may be written with - or _ in it. On the command line and in files
// these forms are known:
//
//	--name=value  --name value   set it (the second form not for switches)
//	--name                       switch it on
//	--skip-name --disable-name   switch it off
//	--enable-name                switch it on
//	--loose-name=value           set it, or only warn if there is no such option
//
// In a file the leading -- is left out. Sizes and counts take the suffixes K,
// M, G, T, P and E, in powers of 1024.
//
// Files are read before the command line, so the command line wins; of the same
// option given twice, the last one wins. Which files are read, and which groups
// in them, is said at Search.
package option
