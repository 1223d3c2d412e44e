package duramen

import (
	"errors"
	"fmt"
	"net"
)

// arguments is the command line that stands for o.
func arguments(o Options) ([]string, error) {
	if o.Dir == "" {
		return nil, errors.New("duramen: Options.Dir is not set")
	}
	args := []string{"--no-defaults", "--datadir=" + o.Dir}
	switch o.Address {
	case "":
		args = append(args, "--port=0")
	case "-":
		args = append(args, "--skip-networking")
		if o.Socket == "" {
			return nil, errors.New("duramen: neither an address nor a socket to listen on")
		}
	default:
		host, port, err := net.SplitHostPort(o.Address)
		if err != nil {
			return nil, fmt.Errorf("duramen: Options.Address: %w", err)
		}
		if host == "" {
			host = "*"
		}
		args = append(args, "--bind-address="+host, "--port="+port)
	}
	if o.Socket != "" {
		args = append(args, "--socket="+o.Socket)
	}
	return append(args, o.Args...), nil
}
