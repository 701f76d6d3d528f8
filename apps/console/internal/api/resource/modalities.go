package resource

import "github.com/tollgate/tollgate/libs/core/catalog"

// Modalities are the kinds of content that a model reads and writes.
type Modalities struct {
	Input  []catalog.Modality `json:"input" maxItems:"5" enum:"text,image,audio,video,file" doc:"Empty if they are not known"`
	Output []catalog.Modality `json:"output" maxItems:"5" enum:"text,image,audio,video,file" doc:"Empty if they are not known"`
}

// ModalitiesOf returns the API's form of modalities, whose lists are not nil.
func ModalitiesOf(m catalog.Modalities) Modalities {
	return Modalities{Input: append([]catalog.Modality{}, m.Input...),
		Output: append([]catalog.Modality{}, m.Output...)}
}
