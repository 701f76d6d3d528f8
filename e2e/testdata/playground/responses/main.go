package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
)

func main() {
	client := openai.NewClient(option.WithBaseURL("https://relay.example/v1"), option.WithAPIKey(os.Getenv("TOLLGATE_TOKEN")))
	body := json.RawMessage(`{
  "model": "echo-1",
  "input": [
    {
      "role": "user",
      "content": [
        {
          "type": "input_text",
          "text": "What is ` + "`" + `this` + "`" + `?"
        },
        {
          "type": "input_image",
          "image_url": "` + dataURL("photo.png", "image/png") + `",
          "detail": "auto"
        }
      ]
    }
  ],
  "temperature": 0.5,
  "tools": [
    {
      "type": "function",
      "strict": false,
      "name": "get_weather",
      "description": "The weather at a place now",
      "parameters": {
        "type": "object",
        "properties": {
          "city": {
            "type": "string"
          }
        },
        "required": [
          "city"
        ],
        "additionalProperties": false
      }
    }
  ],
  "store": false
}`)
	params := param.Override[responses.ResponseNewParams](body)
	answer, err := client.Responses.New(context.Background(), params)
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.OutputText())
	for _, item := range answer.Output {
		if item.Type == "function_call" {
			fmt.Println(item.Name, item.Arguments.OfString)
		}
	}
}

// content returns the content of a file in base64.
func content(path string) string {
	bytes, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(bytes)
}

// dataURL returns the content of a file as a data URL.
func dataURL(path, mediaType string) string {
	return "data:" + mediaType + ";base64," + content(path)
}
