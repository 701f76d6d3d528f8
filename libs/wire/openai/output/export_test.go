package output

// Types of events that only tests name.
const (
	EventError      = eventError
	EventOther      = eventOther
	EventIncomplete = eventIncomplete
	EventCompleted  = eventCompleted
)

// EventType is the type of an event.
type EventType = eventType

// The readers of a single chunk or event.
var ScanChunk = scanChunk

// ScanEvent reads an event whose name is in its data.
func ScanEvent(data []byte) (Chunk, *Event, error) {
	return scanEvent(data, func() string { return "" })
}

// CountText counts the texts of a chunk.
func CountText(data []byte) (texts, size int64) { return (&Frame{Data: data}).CountText() }
