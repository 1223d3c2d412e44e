package clone

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/duramendb/duramen/replication/replica/follow"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// loginTimeout is how long the source may be silent while its answer to a login is awaited.
const loginTimeout = 30 * time.Second

// tryFollowing logs in and registers as the new server will, so that a wrong password, a missing privilege or a wrong certificate is known of before hours
// are spent. A source that takes the login with TLS only is followed with TLS.
func tryFollowing(ctx context.Context, o *Options, by primary.GTIDMode) error {
	if o.NoFollow {
		return nil
	}
	err := tryLogin(ctx, o, by)
	if err == nil {
		return nil
	}
	var refused *primary.Error
	if !errors.As(err, &refused) {
		return err // ctx has ended
	}
	if o.followsWithTLS() {
		return loginError(o, refused)
	}
	o.Source.RequireTLS = true
	if tryLogin(ctx, o, by) != nil {
		return loginError(o, refused)
	}
	_, _ = fmt.Fprintf(o.Progress, "clone: the source takes the login of %q with TLS only: the new server will use it (MASTER_SSL=1)\n", o.ReplicationUser)
	return nil
}

func tryLogin(ctx context.Context, o *Options, by primary.GTIDMode) error {
	return follow.Try(ctx, follow.Options{Settings: o.primary(by), ServerID: o.ServerID, NetTimeout: loginTimeout, Logger: o.Logger})
}

// followsWithTLS tells whether the new server is told to use TLS.
func (o *Options) followsWithTLS() bool {
	s := &o.Source
	return s.RequireTLS || s.Verify || s.CA != "" || s.Cert != ""
}

// primary is what CHANGE MASTER says of the source; see changeMaster.
func (o *Options) primary(by primary.GTIDMode) primary.Settings {
	s := &o.Source
	p := primary.Settings{Host: s.Host, Port: uint16(s.Port), User: o.ReplicationUser, Password: o.ReplicationPassword, GTID: by}
	if o.followsWithTLS() {
		p.TLS = primary.TLS{On: true, CA: s.CA, Cert: s.Cert, Key: s.Key, VerifyServerCert: s.Verify}
	}
	return p
}

// loginError leaves out what SHOW SLAVE STATUS says of further attempts.
func loginError(o *Options, refused *primary.Error) error {
	text := refused.Text
	if _, message, found := strings.Cut(text, " message: "); found {
		text = message
	}
	return fmt.Errorf("the new server could not follow as --replication-user=%s, which needs the privilege REPLICATION SLAVE: %d: %s; --no-follow makes a server that follows nobody",
		o.ReplicationUser, refused.Number, text)
}
