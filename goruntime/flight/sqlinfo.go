package flight

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// about is what Flight SQL clients ask of a server when they connect.
var about = []struct {
	name  pb.SqlInfo
	value any // a string, a bool or an int32
}{
	{pb.SqlInfo_FLIGHT_SQL_SERVER_NAME, "goruntime"},
	{pb.SqlInfo_FLIGHT_SQL_SERVER_ARROW_VERSION, arrow.PkgVersion},
	{pb.SqlInfo_FLIGHT_SQL_SERVER_READ_ONLY, true},
	{pb.SqlInfo_FLIGHT_SQL_SERVER_SQL, false},
	{pb.SqlInfo_FLIGHT_SQL_SERVER_SUBSTRAIT, false},
	{pb.SqlInfo_FLIGHT_SQL_SERVER_TRANSACTION, int32(pb.SqlSupportedTransaction_SQL_SUPPORTED_TRANSACTION_NONE)},
	{pb.SqlInfo_FLIGHT_SQL_SERVER_CANCEL, false},
}

// The kinds of a value, by the code that they have in schema_ref.SqlInfo.
const (
	infoText  arrow.UnionTypeCode = 0
	infoBool  arrow.UnionTypeCode = 1
	infoInt32 arrow.UnionTypeCode = 3
)

// infoCommand reads a CommandGetSqlInfo, nil where it is none. Its text is the ticket
// of what it asks for, too.
func infoCommand(text []byte) *pb.CommandGetSqlInfo {
	box, command := &anypb.Any{}, &pb.CommandGetSqlInfo{}
	if proto.Unmarshal(text, box) != nil || box.UnmarshalTo(command) != nil {
		return nil
	}
	return command
}

// describeInfo answers GetFlightInfo.
func describeInfo(d *aflight.FlightDescriptor) *aflight.FlightInfo {
	return &aflight.FlightInfo{
		Schema: aflight.SerializeSchema(schema_ref.SqlInfo, memory.DefaultAllocator), FlightDescriptor: d, TotalRecords: -1, TotalBytes: -1,
		Endpoint: []*aflight.FlightEndpoint{{Ticket: &aflight.Ticket{Ticket: d.Cmd}}},
	}
}

// sendInfo answers DoGet: what was asked for and is known, all where nothing was asked for.
func sendInfo(command *pb.CommandGetSqlInfo, stream aflight.FlightService_DoGetServer) error {
	rows := array.NewRecordBuilder(memory.DefaultAllocator, schema_ref.SqlInfo)
	defer rows.Release()
	values := rows.Field(1).(*array.DenseUnionBuilder)
	for _, row := range about {
		if len(command.Info) > 0 && !slices.Contains(command.Info, uint32(row.name)) {
			continue
		}
		rows.Field(0).(*array.Uint32Builder).Append(uint32(row.name))
		switch v := row.value.(type) {
		case string:
			values.Append(infoText)
			values.Child(int(infoText)).(*array.StringBuilder).Append(v)
		case bool:
			values.Append(infoBool)
			values.Child(int(infoBool)).(*array.BooleanBuilder).Append(v)
		case int32:
			values.Append(infoInt32)
			values.Child(int(infoInt32)).(*array.Int32Builder).Append(v)
		}
	}
	batch := rows.NewRecordBatch()
	defer batch.Release()
	w := aflight.NewRecordWriter(stream, ipc.WithSchema(schema_ref.SqlInfo))
	defer w.Close()
	return w.Write(batch)
}
