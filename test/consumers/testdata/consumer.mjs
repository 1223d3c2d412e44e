// Keeps a copy of the rows of a database with zongji. Arguments: the server's port, the file that position and
// rows are kept in, and the number of the mark to end at.
import fs from 'node:fs';
import ZongJi from '@vlasky/zongji';

const [port, path, mark] = process.argv.slice(2);
const state = fs.existsSync(path) ? JSON.parse(fs.readFileSync(path)) : { File: 'binlog.000001', Pos: 4, Rows: {} };

function text(v) {
  if (v === null || v === undefined) return null;
  if (Buffer.isBuffer(v)) return '0x' + v.toString('hex');
  if (Array.isArray(v)) return v.join(',');
  if (v instanceof Date) return v.toISOString();
  return String(v);
}

const zongji = new ZongJi({ host: '127.0.0.1', port: Number(port), user: 'root', password: '', dateStrings: true, timezone: 'Z', supportBigNumbers: true, bigNumberStrings: true });
let seen = false;
zongji.on('error', (err) => { console.log(err); process.exit(1); });
zongji.on('binlog', (event) => {
  const name = event.getEventName();
  if (name === 'tablemap') return;
  const table = event.tableMap?.[event.tableId]?.tableName;
  for (const row of event.rows ?? []) {
    const after = row.after ?? row;
    if (table === 'marker') {
      seen = seen || after.n === Number(mark);
    } else if (table === 'all_types') {
      if (name === 'deleterows') delete state.Rows[after.id];
      else state.Rows[after.id] = Object.fromEntries(Object.entries(after).map(([k, v]) => [k, text(v)]));
    }
  }
  if (seen) {
    state.File = zongji.options.filename ?? state.File;
    state.Pos = event.nextPosition;
    fs.writeFileSync(path, JSON.stringify(state));
    console.log('OK');
    process.exit(0);
  }
});
zongji.start({ filename: state.File, position: state.Pos, serverId: 903, includeEvents: ['tablemap', 'writerows', 'updaterows', 'deleterows', 'rotate'], includeSchema: { shop: true } });
setTimeout(() => { console.log('the mark did not come'); process.exit(1); }, 120000).unref();
