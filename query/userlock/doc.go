// Package userlock has the locks of GET_LOCK of one session.
package userlock
