import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.embedded.Connect;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Keeps a copy of the rows of a database with Debezium's embedded engine: first a snapshot, then the log. Arguments: the
 * server's port, the file that rows are kept in (Debezium's own files lie beside it), the number of the mark to end at.
 */
public class Consumer {
    static final Map<String, Map<String, String>> rows = new TreeMap<>();
    static final CountDownLatch done = new CountDownLatch(1);
    static volatile String failure = "the mark did not come";

    public static void main(String[] args) throws Exception {
        String file = args[1];
        int mark = Integer.parseInt(args[2]);
        if (Files.exists(Path.of(file))) {
            load(file);
        }
        Properties p = new Properties();
        p.setProperty("name", "engine");
        p.setProperty("connector.class", "io.debezium.connector.mariadb.MariaDbConnector");
        p.setProperty("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
        p.setProperty("offset.storage.file.filename", file + ".offsets");
        p.setProperty("offset.flush.interval.ms", "0");
        p.setProperty("schema.history.internal", "io.debezium.storage.file.history.FileSchemaHistory");
        p.setProperty("schema.history.internal.file.filename", file + ".history");
        p.setProperty("database.hostname", "127.0.0.1");
        p.setProperty("database.port", args[0]);
        p.setProperty("database.user", "root");
        p.setProperty("database.password", "");
        p.setProperty("database.server.id", "904");
        p.setProperty("topic.prefix", "t");
        p.setProperty("database.include.list", "shop");
        p.setProperty("snapshot.mode", "initial");
        p.setProperty("bigint.unsigned.handling.mode", "precise");
        DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine = DebeziumEngine.create(Connect.class).using(p)
            .using((ok, message, error) -> {
                if (error != null) {
                    failure = message + ": " + error;
                }
                done.countDown();
            })
            .notifying(event -> take(event.value(), mark)).build();
        Thread thread = new Thread(engine);
        thread.start();
        done.await(120, TimeUnit.SECONDS);
        engine.close();
        thread.join(20000);
        save(file);
        System.out.println(failure.isEmpty() ? "OK" : failure);
        System.exit(failure.isEmpty() ? 0 : 1);
    }

    static void take(SourceRecord r, int mark) {
        if (r.value() == null || !(r.value() instanceof Struct value) || value.schema().field("after") == null) {
            return;
        }
        String table = value.getStruct("source").getString("table");
        Struct after = value.getStruct("after");
        Struct row = after == null ? value.getStruct("before") : after;
        if ("marker".equals(table)) {
            if (row.getInt32("n") == mark) {
                failure = "";
                done.countDown();
            }
        } else if ("all_types".equals(table)) {
            String id = String.valueOf(row.get("id"));
            if (after == null) {
                rows.remove(id);
                return;
            }
            Map<String, String> values = new TreeMap<>();
            for (Field f : row.schema().fields()) {
                values.put(f.name(), text(f, row.get(f)));
            }
            rows.put(id, values);
        }
    }

    /** A value as SQL writes it: Debezium's types of times are numbers. */
    static String text(Field f, Object v) {
        if (v == null) {
            return null;
        }
        String type = f.schema().name() == null ? "" : f.schema().name();
        byte[] bytes = v instanceof ByteBuffer b ? b.array() : v instanceof byte[] a ? a : null;
        switch (type) {
            case "io.debezium.time.Date":
                return LocalDate.ofEpochDay((Integer) v).toString();
            case "io.debezium.time.MicroTime":
                return time((Long) v);
            case "io.debezium.time.Timestamp":
                return dateTime((Long) v * 1000);
            case "io.debezium.time.MicroTimestamp":
                return dateTime((Long) v);
            case "io.debezium.data.Bits":
                byte[] big = new byte[bytes.length];
                for (int i = 0; i < big.length; i++) { // little-endian
                    big[big.length - 1 - i] = bytes[i];
                }
                return new BigInteger(1, big).toString();
            default:
                if (bytes != null) {
                    return "0x" + HexFormat.of().formatHex(bytes);
                }
                return v instanceof Boolean b ? (b ? "1" : "0") : v instanceof BigDecimal d ? d.toPlainString() : String.valueOf(v);
        }
    }

    static String time(long micros) {
        String sign = micros < 0 ? "-" : "";
        long abs = Math.abs(micros);
        long s = abs / 1000000;
        return String.format("%s%02d:%02d:%02d.%06d", sign, s / 3600, s / 60 % 60, s % 60, abs % 1000000);
    }

    static String dateTime(long micros) {
        long days = Math.floorDiv(micros, 86400000000L);
        return LocalDate.ofEpochDay(days) + " " + time(Math.floorMod(micros, 86400000000L));
    }

    static final com.fasterxml.jackson.databind.ObjectMapper json = new com.fasterxml.jackson.databind.ObjectMapper();

    static void save(String file) throws Exception {
        Files.write(Path.of(file), json.writeValueAsString(Map.of("Rows", rows)).getBytes(StandardCharsets.UTF_8));
    }

    static void load(String file) throws Exception {
        var root = json.readTree(Files.readAllBytes(Path.of(file))).get("Rows");
        root.fields().forEachRemaining(row -> {
            Map<String, String> values = new TreeMap<>();
            row.getValue().fields().forEachRemaining(c -> values.put(c.getKey(), c.getValue().isNull() ? null : c.getValue().asText()));
            rows.put(row.getKey(), values);
        });
    }
}
