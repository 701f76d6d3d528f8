package output

// Types of events that only tests name.
const (
	EventOther      = eventOther
	EventIncomplete = eventIncomplete
	EventCompleted  = eventCompleted
)
