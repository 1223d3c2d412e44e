package corpus

import (
	"strings"
)

// commandNames are the words that mysqltest takes as its own at the beginning of a command. Everything else is sent to the server.
var commandNames = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(`
		append_file break cat_file change_user character_set chmod connect connection copy_file copy_files_wildcard dec delimiter die
		diff_files dirty_close disconnect echo end end_timer error eval eval_result evalp exec execw exit file_exists horizontal_results
		if inc let list_files list_files_append_file list_files_write_file lowercase_result mkdir move_file optimizer_trace output perl
		ping query query_horizontal query_vertical real_sleep reap remove_file remove_files_wildcard replace_column replace_regex
		replace_result require reset_connection result result_format rmdir rpl_probe save_master_pos send send_eval send_quit
		send_shutdown shutdown_server skip sleep sorted_result source start_timer sync_slave_with_master sync_with_master system
		vertical_results wait_for_slave_to_stop while write_file write_line ps_prepare ps_bind ps_execute ps_close`) {
		names[name] = true
	}
	for _, what := range strings.Fields(`
		abort_on_error column_names connect_log cursor_protocol info metadata non_blocking_api parsing prepare_warnings
		ps_protocol ps2_protocol query_log reconnect result_log service_connection session_track_info testcase view_protocol warnings`) {
		names["enable_"+what], names["disable_"+what] = true, true
	}
	return names
}()

// command is one command of a script.
type command struct {
	name string // one of commandNames, "}", or "": the text goes to the server; "#" is a comment
	text string // what stands behind the name; for "" all of it
	line int
	// dashes says that the command ends with its line, not with the delimiter.
	dashes bool
}

// command gives the next command.
func (r *reader) command() (c command, ok bool) {
	text, line, ok := r.next()
	c = command{text: text, line: line}
	switch {
	case !ok:
		return c, false
	case text == "}":
		c.name = "}"
		return c, true
	case strings.HasPrefix(text, "--"):
		c.text, c.dashes = strings.TrimLeft(text[2:], " \t\r\n\v\f"), true
	case strings.HasPrefix(text, "#"), strings.HasPrefix(text, "-"):
		c.name = "#"
		return c, true
	}
	word := strings.IndexFunc(c.text, func(b rune) bool { return b == '(' || b < 0x80 && isSpace(byte(b)) })
	if word < 0 {
		word = len(c.text)
	}
	if i := strings.Index(c.text[:word], r.delimiter); i >= 0 {
		word = i
	}
	name := strings.ToLower(c.text[:word])
	switch {
	case commandNames[name]:
		c.name, c.text = name, strings.TrimLeft(c.text[word:], " \t\r\n\v\f")
	case c.dashes:
		c.name = "#"
	}
	return c, true
}

// heredoc is the mark that ends the text which follows a command in the script; "" if none follows.
func (c *command) heredoc() string {
	skip := 0 // arguments before the mark
	switch c.name {
	case "write_file", "append_file":
		skip = 1
	case "perl":
	default:
		return ""
	}
	args := strings.Fields(c.text)
	if len(args) > skip {
		return args[len(args)-1]
	}
	return "EOF"
}

// unescape gives what the command eval sends for a text without variables; ok is false if it has one.
func unescape(text string) (out string, ok bool) {
	if !strings.ContainsAny(text, `$\`) {
		return text, true
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '$':
			return "", false
		case c == '\\' && i+1 < len(text) && strings.IndexByte(`\$"`, text[i+1]) >= 0:
			i++
			b = append(b, text[i])
		default:
			b = append(b, c)
		}
	}
	return string(b), true
}
