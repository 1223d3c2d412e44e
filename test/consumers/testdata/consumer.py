"""Keeps a copy of the rows of a database with python-mysql-replication.

Arguments: the server's port, the file that position and rows are kept in, and the number of the mark to end at.
"""

import datetime
import decimal
import json
import os
import sys

from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.row_event import DeleteRowsEvent, UpdateRowsEvent, WriteRowsEvent


def text(v):
    if v is None:
        return None
    if isinstance(v, (bytes, bytearray)):
        return "0x" + bytes(v).hex()
    if isinstance(v, datetime.timedelta):
        micros = (v.days * 86400 + v.seconds) * 10**6 + v.microseconds
        sign, micros = ("-", -micros) if micros < 0 else ("", micros)
        s, us = divmod(micros, 10**6)
        return "%s%02d:%02d:%02d.%06d" % (sign, s // 3600, s // 60 % 60, s % 60, us)
    if isinstance(v, datetime.datetime):
        return v.strftime("%Y-%m-%d %H:%M:%S.%f")
    if isinstance(v, datetime.date):
        return v.isoformat()
    if isinstance(v, (set, frozenset)):
        return ",".join(v)
    if isinstance(v, decimal.Decimal):
        return str(v)
    if isinstance(v, float):
        return repr(v)
    return str(v)


def main(port, path, mark):
    state = {"File": "binlog.000001", "Pos": 4, "Rows": {}}
    if os.path.exists(path):
        with open(path) as f:
            state = json.load(f)
    rows = state["Rows"]
    stream = BinLogStreamReader(
        connection_settings={"host": "127.0.0.1", "port": int(port), "user": "root", "passwd": ""},
        server_id=902, resume_stream=True, log_file=state["File"], log_pos=state["Pos"], blocking=False,
        only_events=[WriteRowsEvent, UpdateRowsEvent, DeleteRowsEvent], only_schemas=["shop"], enable_logging=False,
    )
    seen = False
    for event in stream:
        for row in event.rows:
            new = row.get("after_values") or row["values"]
            if event.table == "marker":
                seen = seen or new["n"] == int(mark)
            elif event.table == "all_types":
                if isinstance(event, DeleteRowsEvent):
                    del rows[str(new["id"])]
                else:
                    rows[str(new["id"])] = {k: text(v) for k, v in new.items()}
    if not seen:
        sys.exit("the stream ended before the mark")
    state["File"], state["Pos"] = stream.log_file, stream.log_pos
    stream.close()
    with open(path, "w") as f:
        json.dump(state, f)
    print("OK")


main(*sys.argv[1:])
