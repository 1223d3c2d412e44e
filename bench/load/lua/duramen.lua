-- The workloads of `duramen bench run`, for sysbench 1.0.20. To run one by hand:
--
--   sysbench duramen.lua --workload=update-index --tables=1 --table-size=100000 --mysql-db=bench prepare
--   sysbench duramen.lua --workload=update-index --tables=1 --table-size=100000 --mysql-db=bench --threads=4 --time=30 run
--
-- One event is one transaction. Ids are drawn uniformly, unless the workload says otherwise.

sysbench.cmdline.options = {
   workload = {"What an event does", "update-nonindex"},
   tables = {"Number of tables", 1},
   table_size = {"Rows of a table", 10000},
   zipf_exponent = {"Skew of update-zipf", 0.8},
   sets = {"Sets of tables to prepare: PREFIX for the default engine, PREFIX:ENGINE for another; of each there are --tables", "sbtest"},
}

local type_of = sysbench.sql.type
local ID, TEXT, PAD = {type_of.INT}, {type_of.CHAR, 120}, {type_of.CHAR, 60}
local SLAP = {type_of.CHAR, 128}

local digits = "###########"
local text = digits .. string.rep("-" .. digits, 9) -- 119 characters
local pad = digits .. string.rep("-" .. digits, 4) -- 59 characters
local slap_text = string.rep("@", 127) -- sysbench appends a byte to 128 without prepared statements

local in_list_length = 100
local rows_per_insert = 500

local function in_list()
   local t = {"UPDATE %s SET k = k + 1 WHERE id IN (?", ID}
   for i = 2, in_list_length do
      t[1] = t[1] .. ",?"
      t[i + 1] = ID
   end
   t[1] = t[1] .. ")"
   return t
end

-- The text of a statement (%s is the table), then the types of its parameters.
local statements = {
   point = {"SELECT c FROM %s WHERE id = ?", ID},
   range = {"SELECT c FROM %s WHERE id BETWEEN ? AND ?", ID, ID},
   sum = {"SELECT SUM(k) FROM %s WHERE id BETWEEN ? AND ?", ID, ID},
   ordered = {"SELECT c FROM %s WHERE id BETWEEN ? AND ? ORDER BY c", ID, ID},
   distinct = {"SELECT DISTINCT c FROM %s WHERE id BETWEEN ? AND ? ORDER BY c", ID, ID},
   scan = {"SELECT * FROM %s WHERE LENGTH(c) < 0"},
   update_index = {"UPDATE %s SET k = k + 1 WHERE id = ?", ID},
   update_nonindex = {"UPDATE %s SET c = ? WHERE id = ?", TEXT, ID},
   update_inlist = in_list(),
   delete = {"DELETE FROM %s WHERE id = ?", ID},
   insert = {"INSERT INTO %s (id, k, c, pad) VALUES (?, ?, ?, ?)", ID, ID, TEXT, PAD},
   append = {"INSERT INTO %s (k, c, pad) VALUES (?, ?, ?)", ID, TEXT, PAD},
   slap = {"INSERT INTO slap (intcol1, charcol1) VALUES (?, ?)", ID, SLAP},
   begin = {"BEGIN"},
   commit = {"COMMIT"},
}

local con
local prepared -- [name .. table] = {statement, parameters}

-- execute runs a statement on a table ("" if it has none). A string argument is a template for random text,
-- a number a value.
local function execute(name, tab, ...)
   local key = name .. tab
   local p = prepared[key]
   if p == nil then
      local def = statements[name]
      p = {con:prepare(string.format(def[1], tab)), {}}
      for i = 2, #def do
         p[2][i - 1] = p[1]:bind_create(unpack(def[i]))
      end
      if #def > 1 then
         p[1]:bind_param(unpack(p[2]))
      end
      prepared[key] = p
   end
   for i = 1, select("#", ...) do
      local v = select(i, ...)
      if type(v) == "string" then
         p[2][i]:set_rand_str(v)
      else
         p[2][i]:set(v)
      end
   end
   p[1]:execute()
end

local function name_of(number) return "sbtest" .. number end
local function any_table(set) return (set or "sbtest") .. sysbench.rand.uniform(1, sysbench.opt.tables) end
local function any_id() return sysbench.rand.uniform(1, sysbench.opt.table_size) end

-- zipf gives a function that draws from 1 to n, i with a probability
-- proportional to i^-s, in constant time and memory: rejection-inversion,
-- W. Hoermann and G. Derflinger, "Rejection-inversion to generate variates from
-- monotone discrete distributions", ACM TOMACS 6.3 (1996).
local function zipf(n, s)
   local function integral(x)
      if s == 1 then return math.log(x) end
      return (x ^ (1 - s) - 1) / (1 - s)
   end
   local function inverse(y)
      if s == 1 then return math.exp(y) end
      return (1 + y * (1 - s)) ^ (1 / (1 - s))
   end
   local low = integral(1.5) - 1
   local high = integral(n + 0.5)
   local always = 2 - inverse(integral(2.5) - 2 ^ -s)
   return function()
      while true do
         local u = high + sysbench.rand.uniform_double() * (low - high)
         local x = inverse(u)
         local i = math.max(1, math.min(n, math.floor(x + 0.5)))
         if i - x <= always or u >= integral(i + 0.5) - i ^ -s then return i end
      end
   end
end

-- Rows that only this client deletes: every threads-th of all rows of all
-- tables, in an order that jumps about.
local place
local function next_place()
   local n = sysbench.opt.tables * sysbench.opt.table_size
   local i = place
   if i >= n then return nil end
   place = place + sysbench.opt.threads
   return i % sysbench.opt.tables + 1, (math.floor(i / sysbench.opt.tables) * 1000003) % sysbench.opt.table_size + 1
end

-- insert_rows inserts rows with the ids that next_id returns, until it returns nil.
local function insert_rows(tab, next_id)
   local values = {}
   local function flush()
      if #values > 0 then
         con:query(string.format("INSERT INTO %s (id, k, c, pad) VALUES ", tab) .. table.concat(values, ","))
         values = {}
      end
   end
   for id in next_id do
      values[#values + 1] = string.format("(%d,%d,'%s','%s')", id, any_id(), sysbench.rand.string(text), sysbench.rand.string(pad))
      if #values == rows_per_insert then flush() end
   end
   flush()
end

-- Puts back what this client has deleted.
local function refill()
   local ids = {}
   for t = 1, sysbench.opt.tables do ids[t] = {} end
   place = sysbench.tid
   for t, id in next_place do
      ids[t][#ids[t] + 1] = id
   end
   for t = 1, sysbench.opt.tables do
      local i = 0
      insert_rows(name_of(t), function() i = i + 1 return ids[t][i] end)
   end
   place = sysbench.tid
end

local function writes()
   execute("update_index", any_table(), any_id())
   execute("update_nonindex", any_table(), text, any_id())
   local t, id = any_table(), any_id()
   execute("delete", t, id)
   execute("insert", t, id, any_id(), text, pad)
end

local function reads(length)
   local t = any_table()
   for _ = 1, 10 do execute("point", t, any_id()) end
   for _, name in ipairs({"range", "sum", "ordered", "distinct"}) do
      local id = any_id()
      execute(name, any_table(), id, id + length - 1)
   end
end

local function read_write(length)
   return function()
      execute("begin", "")
      reads(length)
      writes()
      execute("commit", "")
   end
end

-- hundred_rows makes a query of 100 rows by the primary key.
local function hundred_rows(name)
   return function()
      local id = any_id()
      execute(name, any_table(), id, id + 99)
   end
end

local function update_in(set)
   return function() execute("update_nonindex", any_table(set), text, any_id()) end
end

local function point_in(set)
   return function() execute("point", any_table(set), any_id()) end
end

-- two_rows makes a transaction that changes a row of the lower half of the tables of one set, and then a row of the upper half
-- of those of another set, or of the same. So all of these draw from as many tables, and no two of them deadlock.
local function two_rows(lower, upper)
   return function()
      local half = math.floor(sysbench.opt.tables / 2)
      execute("begin", "")
      execute("update_nonindex", lower .. sysbench.rand.uniform(1, half), text, any_id())
      execute("update_nonindex", upper .. sysbench.rand.uniform(half + 1, sysbench.opt.tables), text, any_id())
      execute("commit", "")
   end
end

local zipf_id
local in_list_ids = {}

local workloads = {
   ["delete"] = function()
      local t, id = next_place()
      if t == nil then
         refill()
         t, id = next_place()
      end
      execute("delete", name_of(t), id)
   end,
   ["insert"] = function() execute("append", any_table(), any_id(), text, pad) end,
   ["read-write-100"] = read_write(100),
   ["read-write-10"] = read_write(10),
   ["update-index"] = function() execute("update_index", any_table(), any_id()) end,
   ["update-inlist"] = function()
      for i = 1, in_list_length do in_list_ids[i] = any_id() end
      table.sort(in_list_ids)
      execute("update_inlist", any_table(), unpack(in_list_ids))
   end,
   ["update-nonindex"] = function() execute("update_nonindex", any_table(), text, any_id()) end,
   ["update-one"] = function() execute("update_nonindex", name_of(1), text, 1) end,
   ["update-zipf"] = function() execute("update_nonindex", any_table(), text, zipf_id()) end,
   ["write-only"] = function()
      execute("begin", "")
      writes()
      execute("commit", "")
   end,
   ["point-query"] = function() execute("point", any_table(), any_id()) end,
   ["range"] = hundred_rows("range"),
   ["range-sum"] = hundred_rows("sum"),
   ["range-ordered"] = hundred_rows("ordered"),
   ["range-distinct"] = hundred_rows("distinct"),
   ["read-only-100"] = function()
      execute("begin", "")
      reads(100)
      execute("commit", "")
   end,
   ["scan"] = function() execute("scan", any_table()) end,
   ["update-first"] = update_in("first"),
   ["update-second"] = update_in("second"),
   ["update-memory"] = update_in("memory"),
   ["point-first"] = point_in("first"),
   ["point-second"] = point_in("second"),
   ["point-memory"] = point_in("memory"),
   ["two-in-first"] = two_rows("first", "first"),
   ["two-in-second"] = two_rows("second", "second"),
   ["two-across"] = two_rows("first", "second"),
   ["slap-insert"] = function() execute("slap", "", any_id(), slap_text) end,
}
-- These two differ by the number of tables that the harness gives them.
workloads["oltp-rw"] = workloads["read-write-100"]
workloads["update-nokey"] = workloads["update-nonindex"]

function thread_init()
   event = workloads[sysbench.opt.workload]
   if event == nil then error("there is no workload " .. sysbench.opt.workload) end
   con = sysbench.sql.driver():connect()
   prepared = {}
   place = sysbench.tid
   zipf_id = zipf(sysbench.opt.table_size, sysbench.opt.zipf_exponent)
end

function thread_done()
   for _, p in pairs(prepared) do p[1]:close() end
   con:disconnect()
end

-- sysbench looks for this before threads have chosen their own.
function event() end

local function connect()
   con = sysbench.sql.driver():connect()
end

local function each_own_table(f)
   for t = sysbench.tid + 1, sysbench.opt.tables, sysbench.opt.threads do f(t) end
end

local function create_slap()
   con:query("DROP TABLE IF EXISTS slap")
   con:query("CREATE TABLE slap (intcol1 INT, charcol1 VARCHAR(128))")
end

local function create_table(tab, engine)
   con:query(string.format([[CREATE TABLE %s (
      id INT NOT NULL AUTO_INCREMENT,
      k INT NOT NULL DEFAULT 0,
      c CHAR(120) NOT NULL DEFAULT '',
      pad CHAR(60) NOT NULL DEFAULT '',
      PRIMARY KEY (id))%s]], tab, engine == "" and "" or " ENGINE=" .. engine))
   local id = 0
   insert_rows(tab, function()
      id = id + 1
      if id <= sysbench.opt.table_size then return id end
   end)
   con:query(string.format("CREATE INDEX k_%s ON %s (k)", tab, tab))
end

local function prepare()
   connect()
   each_own_table(function(t)
      for prefix, engine in sysbench.opt.sets:gmatch("([^:,]+):?([^,]*)") do create_table(prefix .. t, engine) end
   end)
   if sysbench.tid == 0 then create_slap() end
end

-- restore brings the tables back to where a workload begins, if that is needed.
local function restore()
   connect()
   if sysbench.opt.workload == "slap-insert" then
      if sysbench.tid == 0 then create_slap() end
   elseif sysbench.opt.workload == "delete" then
      each_own_table(function(t)
         local there = {}
         local result = con:query(string.format("SELECT id FROM %s WHERE id <= %d", name_of(t), sysbench.opt.table_size))
         for _ = 1, result.nrows do
            there[tonumber(result:fetch_row()[1])] = true
         end
         result:free()
         local id = 0
         insert_rows(name_of(t), function()
            repeat id = id + 1 until not there[id]
            if id <= sysbench.opt.table_size then return id end
         end)
      end)
   end
end

sysbench.cmdline.commands = {
   prepare = {prepare, sysbench.cmdline.PARALLEL_COMMAND},
   restore = {restore, sysbench.cmdline.PARALLEL_COMMAND},
}

-- A line that a program can read: everything since the start, or since the end
-- of the warm-up (a checkpoint). sysbench prints the histogram before the last one.
function sysbench.hooks.report_cumulative(stat)
   print(string.format("@duramen events=%.0f errors=%.0f reconnects=%.0f seconds=%.6f min=%.9f avg=%.9f max=%.9f",
      stat.events, stat.errors, stat.reconnects, stat.time_interval, stat.latency_min, stat.latency_avg, stat.latency_max))
end
