package output

import (
	"bytes"

	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// hideCost overwrites what the upstream says that it charges in the usage of a frame, see tally.HideCost.
func (f *Frame) hideCost() {
	if !tally.HideCost(f.Data, f.Chunk.usage) || bytes.Contains(f.Raw, f.Data) {
		return
	}
	name := "" // data of several lines is a copy
	if f.Event != nil {
		name = f.Event.Name
	}
	f.Raw = appendEvent(nil, name, f.Data)
}
