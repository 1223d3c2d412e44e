"""The same program for PyMySQL and mysql-connector-python: library, port."""
import datetime
import decimal
import sys

library, port = sys.argv[1], int(sys.argv[2])
if library == "pymysql":
    import pymysql as driver
    IntegrityError, ProgrammingError = driver.err.IntegrityError, driver.err.ProgrammingError
    variants = [{}]
else:
    import mysql.connector as driver
    IntegrityError, ProgrammingError = driver.errors.IntegrityError, driver.errors.ProgrammingError
    variants = [{"use_pure": True}] + ([{"use_pure": False}] if driver.HAVE_CEXT else [])

for number, options in enumerate(variants):
    db = f"py_{library}_{number}"
    conn = driver.connect(host="127.0.0.1", port=port, user="root", **options)
    cur = conn.cursor()
    cur.execute(f"CREATE DATABASE {db}")
    cur.execute(f"USE {db}")
    cur.execute("""CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) UNIQUE,
        price DECIMAL(10,2), at DATETIME, data BLOB, f DOUBLE)""")
    row = ("grün 😀", decimal.Decimal("12.50"), datetime.datetime(2026, 2, 3, 4, 5, 6), b"\x00\xff'\\", 1.25)
    insert = "INSERT INTO t (name, price, at, data, f) VALUES (%s, %s, %s, %s, %s)"
    cur.execute(insert, row)
    assert cur.lastrowid == 1, cur.lastrowid
    cur.executemany(insert, [(f"n{i}", i, row[2], None, None) for i in range(10)])
    assert cur.rowcount == 10, cur.rowcount
    conn.commit()

    cur.execute("SELECT name, price, at, data, f FROM t WHERE id = %s", (1,))
    got = cur.fetchone()
    assert tuple(got) == row, got
    cur.execute("SELECT COUNT(*), SUM(price) FROM t")
    assert tuple(cur.fetchone()) == (11, decimal.Decimal("57.50"))

    cur.execute("UPDATE t SET price = price + 1 WHERE id > 5")
    assert cur.rowcount == 6, cur.rowcount
    conn.rollback()
    cur.execute("SELECT SUM(price) FROM t")
    assert cur.fetchone()[0] == decimal.Decimal("57.50")
    cur.execute("DELETE FROM t WHERE id > 5")
    conn.commit()
    cur.execute("SELECT COUNT(*) FROM t")
    assert cur.fetchone()[0] == 5

    try:
        cur.execute("INSERT INTO t (name) VALUES (%s)", ("n0",))
        raise SystemExit("a duplicate key was accepted")
    except IntegrityError as e:
        assert e.args[0] == 1062, e.args
    try:
        cur.execute("SELECT nothing FROM nowhere")
        raise SystemExit("an unknown table was accepted")
    except ProgrammingError as e:
        assert e.args[0] == 1146, e.args
    conn.rollback()

    if library != "pymysql":
        prepared = conn.cursor(prepared=True)
        for i in (1, 2):
            prepared.execute("SELECT id, name FROM t WHERE id = %s", (i,))
            assert prepared.fetchall()[0][0] == i
        prepared.close()
    cur.close()
    conn.close()
print("OK")
