package flight

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// grpcCodes are the statuses of the runtime's errors.
var grpcCodes = map[errs.Code]codes.Code{
	errs.Argument: codes.InvalidArgument, errs.Type: codes.InvalidArgument, errs.Shape: codes.InvalidArgument,
	errs.Name: codes.NotFound, errs.Model: codes.FailedPrecondition, errs.Unsupported: codes.Unimplemented,
	errs.Memory: codes.ResourceExhausted, errs.Closed: codes.Unavailable, errs.Canceled: codes.Canceled,
	errs.Timeout: codes.DeadlineExceeded, errs.IO: codes.Unavailable, errs.Compute: codes.InvalidArgument,
}

// statusOf returns err as a gRPC status: its code and its text.
func statusOf(err error) error {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, err.Error())
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, err.Error())
	}
	if s, ok := status.FromError(err); ok {
		return s.Err()
	}
	code, ok := grpcCodes[errs.CodeOf(err)]
	if !ok {
		code = codes.Internal
	}
	return status.Error(code, err.Error())
}
