package accounts

import (
	"strings"
	"testing"

	vitess "github.com/dolthub/vitess/go/mysql"
)

// TestSHA2 compares with another implementation of the same form.
func TestSHA2(t *testing.T) {
	salt := "0123456789./ABCDabcd"
	for _, password := range []string{"x", "pw", "pässword", strings.Repeat("p", 31), strings.Repeat("q", 32), strings.Repeat("r", 33), strings.Repeat("s", 200)} {
		for _, thousands := range []int{1, 5, 0x10} {
			want, err := vitess.SerializeCachingSha2PasswordAuthString(password, []byte(salt), thousands)
			if err != nil {
				t.Fatal(err)
			}
			if got := sha2Stored([]byte(password), []byte(salt), thousands); string(got) != string(want) {
				t.Errorf("%q, %d: got %s, want %s", password, thousands, got, want)
			}
			if !SHA2Matches(string(want), []byte(password)) || SHA2Matches(string(want), []byte(password+"x")) {
				t.Errorf("%q, %d: wrong verdict", password, thousands)
			}
		}
	}
	one, two := SHA2Hash("secret"), SHA2Hash("secret")
	if one == two || !SHA2Matches(one, []byte("secret")) || !SHA2Matches(two, []byte("secret")) {
		t.Errorf("got %s and %s", one, two)
	}
	for _, stored := range []string{"", "*", one[1:], one + "x", "$B" + one[2:], "$A$000" + one[6:], "$A$-05" + one[6:], "$A$zzz" + one[6:]} {
		if SHA2Matches(stored, []byte("secret")) {
			t.Errorf("%q matches", stored)
		}
	}
}
