// Run with the port, in a directory that has mysql2.
const assert = require('node:assert');
const mysql = require('mysql2/promise');

async function main() {
  const options = { host: '127.0.0.1', port: Number(process.argv[2]), user: 'root', timezone: 'Z' };
  const admin = await mysql.createConnection(options);
  await admin.query('CREATE DATABASE node');
  await admin.end();
  const c = await mysql.createConnection({ ...options, database: 'node' });
  await c.query('CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) UNIQUE, price DECIMAL(10,2), at DATETIME, data BLOB)');
  const data = Buffer.from([0, 255, 39, 92]);
  const at = new Date('2026-02-03T04:05:06Z');
  const insert = 'INSERT INTO t (name, price, at, data) VALUES (?, ?, ?, ?)';
  const [first] = await c.execute(insert, ['grün 😀', '12.50', at, data]);
  assert.strictEqual(first.insertId, 1);
  for (let i = 0; i < 10; i++) {
    await (i % 2 ? c.execute(insert, ['n' + i, i, at, null]) : c.query(insert, ['n' + i, i, at, null]));
  }
  for (const how of ['query', 'execute']) {
    const [rows] = await c[how]('SELECT name, price, at, data FROM t WHERE id = ?', [1]);
    assert.deepStrictEqual({ ...rows[0] }, { name: 'grün 😀', price: '12.50', at, data });
  }
  await c.beginTransaction();
  const [changed] = await c.query('UPDATE t SET price = price + 1 WHERE id > 5');
  assert.strictEqual(changed.affectedRows, 6);
  await c.rollback();
  await c.beginTransaction();
  await c.execute('DELETE FROM t WHERE id > ?', [5]);
  await c.commit();
  const [[sum]] = await c.query('SELECT COUNT(*) AS n, SUM(price) AS s FROM t');
  assert.deepStrictEqual({ ...sum }, { n: 5, s: '18.50' });
  await assert.rejects(c.query("INSERT INTO t (name) VALUES ('n0')"), { errno: 1062, sqlState: '23000' });
  await assert.rejects(c.execute('SELECT nothing FROM nowhere'), { errno: 1146, sqlState: '42S02' });
  await c.end();

  const many = await mysql.createConnection({ ...options, database: 'node', multipleStatements: true });
  const [results] = await many.query('SELECT 1 AS a; SELECT 2 AS b; UPDATE t SET price = 0 WHERE id = 1');
  assert.strictEqual(results.length, 3);
  await many.changeUser({ user: 'root', database: 'node' });
  await many.ping();
  await many.end();
  console.log('OK');
}

main().catch((e) => { console.error(e); process.exit(1); });
