import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.Arrays;

/** Run with the JDBC URL without its parameters, the database name and the parameters. */
public class Program {
    static void check(boolean ok, String what) {
        if (!ok) {
            throw new IllegalStateException(what);
        }
    }

    public static void main(String[] args) throws Exception {
        String url = args[0], db = args[1], parameters = args[2];
        try (Connection c = DriverManager.getConnection(url + "?" + parameters, "root", ""); Statement s = c.createStatement()) {
            s.execute("CREATE DATABASE " + db);
        }
        try (Connection c = DriverManager.getConnection(url + db + "?" + parameters, "root", ""); Statement s = c.createStatement()) {
            check(c.getMetaData().getDatabaseProductVersion() != null, "version");
            s.execute("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) UNIQUE, price DECIMAL(10,2), at DATETIME, data BLOB)");
            byte[] data = {0, (byte) 0xff, '\'', '\\'};
            Timestamp at = Timestamp.valueOf("2026-02-03 04:05:06");
            try (PreparedStatement p = c.prepareStatement("INSERT INTO t (name, price, at, data) VALUES (?, ?, ?, ?)", Statement.RETURN_GENERATED_KEYS)) {
                p.setString(1, "grün 😀");
                p.setBigDecimal(2, new BigDecimal("12.50"));
                p.setTimestamp(3, at);
                p.setBytes(4, data);
                check(p.executeUpdate() == 1, "one row inserted");
                try (ResultSet keys = p.getGeneratedKeys()) {
                    check(keys.next() && keys.getInt(1) == 1, "generated key");
                }
                for (int i = 0; i < 10; i++) {
                    p.setString(1, "n" + i);
                    p.setBigDecimal(2, new BigDecimal(i));
                    p.setTimestamp(3, at);
                    p.setNull(4, java.sql.Types.BLOB);
                    p.addBatch();
                }
                check(p.executeBatch().length == 10, "batch");
            }
            try (PreparedStatement p = c.prepareStatement("SELECT name, price, at, data FROM t WHERE id = ?")) {
                for (int i = 0; i < 3; i++) {
                    p.setInt(1, 1);
                    try (ResultSet r = p.executeQuery()) {
                        check(r.next(), "row 1");
                        check(r.getString(1).equals("grün 😀"), "name " + r.getString(1));
                        check(r.getBigDecimal(2).equals(new BigDecimal("12.50")), "price " + r.getBigDecimal(2));
                        check(r.getTimestamp(3).equals(at), "time " + r.getTimestamp(3));
                        check(Arrays.equals(r.getBytes(4), data), "bytes");
                        check(!r.next(), "only one row");
                    }
                }
            }
            c.setAutoCommit(false);
            check(s.executeUpdate("UPDATE t SET price = price + 1 WHERE id > 5") == 6, "six rows updated");
            c.rollback();
            s.executeUpdate("DELETE FROM t WHERE id > 5");
            Savepoint point = c.setSavepoint("p");
            s.executeUpdate("DELETE FROM t");
            c.rollback(point);
            c.commit();
            try (ResultSet r = s.executeQuery("SELECT COUNT(*), SUM(price) FROM t")) {
                check(r.next() && r.getInt(1) == 5 && r.getBigDecimal(2).compareTo(new BigDecimal("18.50")) == 0, "sum " + r.getString(2));
            }
            try {
                s.executeUpdate("INSERT INTO t (name) VALUES ('n0')");
                check(false, "a duplicate key was accepted");
            } catch (SQLIntegrityConstraintViolationException e) {
                check(e.getErrorCode() == 1062 && e.getSQLState().equals("23000"), e.toString());
            }
            try {
                s.executeQuery("SELECT nothing FROM nowhere");
                check(false, "an unknown table was accepted");
            } catch (SQLException e) {
                check(e.getErrorCode() == 1146 && e.getSQLState().equals("42S02"), e.toString());
            }
            c.rollback();
            try (ResultSet r = c.getMetaData().getColumns(db, null, "t", "%")) {
                int n = 0;
                while (r.next()) {
                    n++;
                }
                check(n == 5, n + " columns in the metadata");
            }
            c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            check(c.isValid(5), "valid");
        }
        System.out.println("OK");
    }
}
