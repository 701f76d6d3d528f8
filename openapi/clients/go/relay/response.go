package relay

// The functions of this file build the unions of a responses request in one expression. Each union also has a method
// From... for each of its variants.
//
// An item of an output is an item of the next input after a conversion: ResponseInputItem(item).

// ResponseText returns an input that is a text of the user.
func ResponseText(text string) *ResponseInput {
	var input ResponseInput
	must(input.FromResponseInputString(text))
	return &input
}

// ResponseItems returns an input of messages and other items.
func ResponseItems(items ...ResponseInputItem) *ResponseInput {
	var input ResponseInput
	must(input.FromResponseInputList(items))
	return &input
}

// ResponseMessage returns a message as an item of the input. The role is user, assistant, system or developer.
func ResponseMessage(role string, parts ...ResponseContentPart) ResponseInputItem {
	var content ResponseContent
	must(content.FromResponseContentList(parts))
	var item ResponseInputItem
	must(item.FromResponseInputMessage(ResponseInputMessage{Role: role, Content: content}))
	return item
}

// ResponseFunctionResult returns the result of the function call with the id as an item of the input.
func ResponseFunctionResult(callID, result string) ResponseInputItem {
	var output ResponseContent
	must(output.FromResponseContentString(result))
	var item ResponseInputItem
	must(item.FromResponseFunctionCallOutput(ResponseFunctionCallOutput{CallId: &callID, Output: output}))
	return item
}

// InputText returns a text as a part of a message.
func InputText(text string) ResponseContentPart {
	var part ResponseContentPart
	must(part.FromResponseInputText(ResponseInputText{Text: text}))
	return part
}

// InputImage returns an image as a part of a message. The URL can be a data URL.
func InputImage(url string) ResponseContentPart {
	var part ResponseContentPart
	must(part.FromResponseInputImage(ResponseInputImage{ImageUrl: &url}))
	return part
}

// InputFile returns a file as a part of a message. The data is a data URL.
func InputFile(name, data string) ResponseContentPart {
	var part ResponseContentPart
	must(part.FromResponseInputFile(ResponseInputFile{Filename: &name, FileData: &data}))
	return part
}

// ResponseFunction returns a function as a tool. It panics if the parameters contain a value that JSON doesn't have.
func ResponseFunction(function ResponseFunctionTool) ResponseTool {
	var tool ResponseTool
	must(tool.FromResponseFunctionTool(function))
	return tool
}

// ResponseJSON returns the text settings of JSON with the schema. It panics if the schema contains a value that JSON
// doesn't have.
func ResponseJSON(name string, schema map[string]any) *ResponseTextConfig {
	var format ResponseTextFormat
	strict := true
	must(format.FromResponseJSONSchema(ResponseJSONSchema{Name: name, Schema: schema, Strict: &strict}))
	return &ResponseTextConfig{Format: &format}
}
