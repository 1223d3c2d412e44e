// Package floattext prints floating point numbers as MariaDB does.
package floattext
