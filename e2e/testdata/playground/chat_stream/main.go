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
)

func main() {
	client := openai.NewClient(option.WithBaseURL("https://relay.example/v1"), option.WithAPIKey(os.Getenv("TOLLGATE_TOKEN")))
	body := json.RawMessage(`{
  "model": "echo-1",
  "messages": [
    {
      "role": "user",
      "content": [
        {
          "type": "text",
          "text": "What is ` + "`" + `this` + "`" + `?"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": "` + dataURL("photo.png", "image/png") + `"
          }
        }
      ]
    }
  ],
  "temperature": 0.5,
  "tools": [
    {
      "type": "function",
      "function": {
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
    }
  ],
  "stream_options": {
    "include_usage": true
  }
}`)
	params := param.Override[openai.ChatCompletionNewParams](body)
	stream := client.Chat.Completions.NewStreaming(context.Background(), params)
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			fmt.Print(choice.Delta.Content)
			for _, call := range choice.Delta.ToolCalls {
				fmt.Print(call.Function.Name, call.Function.Arguments)
			}
		}
	}
	if err := stream.Err(); err != nil {
		panic(err)
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
