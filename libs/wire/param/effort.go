package param

// Effort returns a client's reasoning effort as a conversation has it. Some providers have max above OpenAI's efforts,
// and words for their own default.
func Effort(given string) string {
	switch given {
	case "max":
		return "xhigh"
	case "default", "auto":
		return ""
	}
	return given
}
