import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Scores one batch: the column x of three rows. Arguments: the server's URI, a model. */
public class Score {
  public static void main(String[] args) throws Exception {
    try (var allocator = new RootAllocator();
        var client = FlightClient.builder(allocator, new Location(args[0])).build();
        var x = new Float4Vector("x", allocator);
        var rows = VectorSchemaRoot.of(x);
        var exchange = client.doExchange(FlightDescriptor.path(args[1]))) {
      x.allocateNew(3);
      for (int i = 0; i < 3; i++) {
        x.set(i, i + 1);
      }
      rows.setRowCount(3);
      exchange.getWriter().start(rows);
      exchange.getWriter().putNext(); // and again for further batches
      exchange.getReader().next();
      System.out.println(exchange.getReader().getRoot().getVector("y"));
      exchange.getWriter().completed();
    }
  }
}
