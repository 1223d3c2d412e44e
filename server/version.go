package server

// MariaDBVersion is the MariaDB release whose behaviour the server follows.
const MariaDBVersion = "10.11.14"

// Version is the release of Duramen.
const Version = "0.1.0"

// ServerVersion is what SELECT VERSION() answers.
const ServerVersion = MariaDBVersion + "-MariaDB-duramen-" + Version

// build is set by the linker: the commit that the binary was made of.
var build = "unknown"

// Build names the commit that the binary was made of.
func Build() string { return build }
