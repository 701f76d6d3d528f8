package param

// Effort returns a client's reasoning effort as a conversation has it. Some providers have max above OpenAI's efforts,
// and words for their own default.
func Effort(effort string) string {
	switch effort {
	case "max":
		return "xhigh"
	case "default", "auto":
		return ""
	}
	return effort
}
