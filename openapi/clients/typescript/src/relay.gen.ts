/** Generated from an OpenAPI document by generate.mjs. Do not edit. */

export interface paths {
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a chat completion
         * @description Creates a model response for a conversation. With `stream: true` the answer is a stream of `data:` events that ends with `data: [DONE]`. If an error occurs after the stream has begun, the last event contains an `error` object, and no `[DONE]` follows.
         */
        post: operations["createChatCompletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/embeddings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create embeddings
         * @description Returns a vector for each input. Only the input is charged. Channels that speak one of OpenAI's dialects get the request unchanged; it is translated for channels that speak gemini, which take up to 100 texts and no tokens. Other channels cannot serve it: if a model has only such channels, the answer is 400 `unsupported_parameter`.
         */
        post: operations["createEmbedding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a message
         * @description Creates a model response for a conversation, in the format of Anthropic's API. With `stream: true` the answer is a stream of events that ends with `message_stop`. If an error occurs after the stream has begun, the last event is `error`. On channels that speak messages the request passes unchanged; for other channels it is translated, and what cannot be translated is refused with 400.
         */
        post: operations["createMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/count_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count the input tokens of a message
         * @description Returns the number of input tokens that a message would have, with its system prompt and its tools. The operation is free of charge, but counts as a request for the rate limits. A channel of the model counts the tokens if it speaks messages. Otherwise the gateway estimates the number.
         */
        post: operations["countMessageTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List models
         * @description Lists the models that the token can use. With the header `anthropic-version` the answer also has the fields of Anthropic's API, and comes in pages.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a model
         * @description Returns one model that the token can use. A slash in the id need not be escaped.
         */
        get: operations["retrieveModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a response
         * @description Creates a model response. With `stream: true` the answer is a stream of events that ends with exactly one of `response.completed`, `response.incomplete` and `response.failed`. If the upstream fails after the stream has begun, the last event is `response.failed`, or `error` if the stream has no response yet.
         */
        post: operations["createResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compact a conversation
         * @description Replaces a long conversation by a shorter list of items, which can be the `input` of the next response. A model does this, and the call is charged like a response. Only channels that speak responses can have the operation; without such a channel the answer is 400 `unsupported_parameter`. Encrypted content in the items can be read by the channel that made it, to which the next request is sent.
         */
        post: operations["compactResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/input_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count the input tokens of a response
         * @description Returns the number of input tokens that a response would have. The operation is free of charge, but counts as a request for the rate limits. A channel of the model counts the tokens if it can. Otherwise the gateway estimates the number; for a conversation that a channel stores, it adds an upper bound of the conversation's tokens.
         */
        post: operations["countResponseInputTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/{response_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a response
         * @description The response is stored by the channel that made it, or by the gateway. The operation is free of charge. Users can use the responses of their own tokens, owners and admins those of the whole tenant; any other id is not found.
         */
        get: operations["retrieveResponse"];
        put?: never;
        post?: never;
        /**
         * Delete a response
         * @description The response is stored by the channel that made it, or by the gateway. The operation is free of charge. Users can use the responses of their own tokens, owners and admins those of the whole tenant; any other id is not found.
         */
        delete: operations["deleteResponse"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/{response_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a response
         * @description The response is stored by the channel that made it, or by the gateway. The operation is free of charge. Users can use the responses of their own tokens, owners and admins those of the whole tenant; any other id is not found.
         */
        post: operations["cancelResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/{response_id}/input_items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the input items of a response
         * @description The response is stored by the channel that made it, or by the gateway. The operation is free of charge. Users can use the responses of their own tokens, owners and admins those of the whole tenant; any other id is not found.
         */
        get: operations["listResponseInputItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the usage of the token
         * @description Returns what the token may spend, and what it has used by day and model. It shows nothing of other tokens. Usage appears seconds after a call. At most two requests of an organization are served at the same time.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description About where the end user is */
        ApproximateLocation: {
            /** @example Lisbon */
            city?: string;
            /**
             * @description Two letters, as in ISO 3166
             * @example PT
             */
            country?: string;
            region?: string;
            /**
             * @description A name of the IANA time zone database
             * @example Europe/Lisbon
             */
            timezone?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Anthropic's form of a cache breakpoint, for channels of the type messages. Not a field of OpenAI */
        CacheControl: {
            /** @description How long the cache keeps the conversation */
            ttl?: ("5m" | "1h" | (string & {}));
            type: ("ephemeral" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description The tools that the model may call, and whether it must call one */
        ChatAllowedNames: {
            mode: ("auto" | "required" | (string & {}));
            tools: components["schemas"]["ChatToolReference"][];
        } & {
            [key: string]: unknown;
        };
        /** @description The tools of the request that the model may call */
        ChatAllowedTools: {
            allowed_tools: components["schemas"]["ChatAllowedNames"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "allowed_tools";
        } & {
            [key: string]: unknown;
        };
        /** @description A source of a part of the content */
        ChatAnnotation: components["schemas"]["ChatURLAnnotation"] | components["schemas"]["ChatOtherAnnotation"];
        /** @description An earlier answer of the model */
        ChatAssistantMessage: {
            /** @description The sources of that answer, if it is sent back as it came */
            annotations?: components["schemas"]["ChatAnnotation"][] | null;
            audio?: components["schemas"]["ChatAudioID"] | null;
            content?: components["schemas"]["ChatContent"] | null;
            function_call?: components["schemas"]["ChatCalledOnce"] | null;
            /** @description The pictures of that answer. Not a field of OpenAI; Gemini reads them, other upstreams do not get them */
            images?: components["schemas"]["ChatPicture"][] | null;
            /** @description Tells participants of the same role apart */
            name?: string;
            /** @description The reasoning of that answer. Not a field of OpenAI; it is sent to upstreams that want it back */
            reasoning_content?: string | null;
            refusal?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "assistant";
            /** @description The calls in that answer. A tool message must follow for each */
            tool_calls?: components["schemas"]["ChatToolCall"][];
        } & {
            [key: string]: unknown;
        };
        /** @description A spoken answer. In a stream, a piece of it */
        ChatAudio: {
            /** @description The audio in base64 */
            data?: string;
            /**
             * Format: int64
             * @description Until when the id is valid, as Unix time in seconds
             */
            expires_at?: number;
            /** @description With this id a later request can refer to the audio */
            id?: string;
            transcript?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The audio of an earlier answer */
        ChatAudioID: {
            id: string;
        } & {
            [key: string]: unknown;
        };
        /** @description How the model speaks. Required if modalities contains audio */
        ChatAudioOptions: {
            format: ("wav" | "aac" | "mp3" | "flac" | "opus" | "pcm16" | (string & {}));
            voice: components["schemas"]["ChatVoice"];
        } & {
            [key: string]: unknown;
        };
        /** @description Speech or another sound */
        ChatAudioPart: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            input_audio: components["schemas"]["ChatInputAudio"];
            prompt_cache_breakpoint?: components["schemas"]["PromptCacheBreakpoint"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "input_audio";
        } & {
            [key: string]: unknown;
        };
        /** @description The name and the arguments of a function call */
        ChatCalled: {
            /** @description The arguments as JSON. A model can write invalid JSON */
            arguments: string;
            name: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A function call in the older form */
        ChatCalledOnce: {
            /** @description The arguments as JSON; in a stream, a piece of them */
            arguments?: string;
            name?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description One generated answer */
        ChatChoice: {
            /** @description Why the model stopped. length: the upper bound, or the quota, was reached */
            finish_reason: ("stop" | "length" | "tool_calls" | "content_filter" | "function_call" | (string & {}));
            /** Format: int64 */
            index: number;
            logprobs?: components["schemas"]["ChatLogprobs"] | null;
            message: components["schemas"]["ChatGenerated"];
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of a choice */
        ChatChunkChoice: {
            delta: components["schemas"]["ChatDelta"];
            /** @description In the last chunk of the choice: why the model stopped. Chunks of audio can lack it */
            finish_reason?: ("stop" | "length" | "tool_calls" | "content_filter" | "function_call" | (string & {}) | null);
            /** Format: int64 */
            index: number;
            logprobs?: components["schemas"]["ChatLogprobs"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A complete answer */
        ChatCompletion: {
            /** @description The generated answers */
            choices: components["schemas"]["ChatChoice"][];
            /**
             * Format: int64
             * @description Unix time in seconds
             */
            created: number;
            id: string;
            /** @description Up to 16 strings of the caller. Some can become tags of the usage log, if the tenant has set that */
            metadata?: {
                [key: string]: string;
            } | null;
            model: string;
            moderation?: components["schemas"]["ChatModeration"] | null;
            /** @enum {string} */
            object: "chat.completion";
            /**
             * @description The service tier that served the call, if the upstream names it; a tier can have prices of its own
             * @example default
             */
            service_tier?: ("auto" | "default" | "flex" | "scale" | "priority" | "fast" | (string & {}) | null);
            /** @description The configuration of the upstream that made the answer */
            system_fingerprint?: string | null;
            usage?: components["schemas"]["ChatUsage"];
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of an answer */
        ChatCompletionChunk: {
            /** @description What the chunk adds to each choice; empty in a chunk that has only the usage */
            choices: components["schemas"]["ChatChunkChoice"][];
            /**
             * Format: int64
             * @description Unix time in seconds
             */
            created: number;
            id: string;
            model: string;
            moderation?: components["schemas"]["ChatModeration"] | null;
            /** @description Random characters that hide the length of the text */
            obfuscation?: string;
            /** @description Azure's first chunk, which has the results of its content filter, has an empty string */
            object: ("chat.completion.chunk" | (string & {}));
            /**
             * @description The service tier that served the call, if the upstream names it; a tier can have prices of its own
             * @example default
             */
            service_tier?: ("auto" | "default" | "flex" | "scale" | "priority" | "fast" | (string & {}) | null);
            /** @description The configuration of the upstream that made the answer */
            system_fingerprint?: string | null;
            /** @description In the last chunk, if the request asks for it */
            usage?: components["schemas"]["ChatUsage"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The data of one event of a stream: a chunk, or the error that ended the stream. The data of the last event of a complete stream is [DONE] */
        ChatCompletionEvent: components["schemas"]["ChatCompletionChunk"] | components["schemas"]["ErrorResponse"];
        /** @description The body of a chat completion request. Further fields are passed on to the upstream */
        ChatCompletionRequest: {
            audio?: components["schemas"]["ChatAudioOptions"] | null;
            /**
             * Format: double
             * @description Positive values make a token less likely, the more often it is in the text already
             */
            frequency_penalty?: number | null;
            /** @deprecated */
            function_call?: components["schemas"]["ChatFunctionMode"];
            /**
             * @deprecated
             * @description Older form of tools
             */
            functions?: components["schemas"]["ChatFunction"][];
            /** @description A bias from -100 to 100 for each token, by the token's number in the model's vocabulary */
            logit_bias?: {
                [key: string]: number;
            } | null;
            /** @description Return the log probabilities of the tokens of the answer */
            logprobs?: boolean | null;
            /**
             * Format: int64
             * @description Upper bound of the tokens of one choice, including reasoning tokens
             */
            max_completion_tokens?: number | null;
            /**
             * Format: int64
             * @description Older name of max_completion_tokens
             */
            max_tokens?: number | null;
            /** @description The conversation so far */
            messages: components["schemas"]["ChatMessage"][];
            /** @description Up to 16 strings of the caller. Some can become tags of the usage log, if the tenant has set that */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description What the answer may consist of. The default is text */
            modalities?: ("text" | "audio" | "image" | (string & {}))[] | null;
            /**
             * @description The id of a model that the token can use
             * @example gpt-4o-mini
             */
            model: string;
            moderation?: components["schemas"]["ChatModerationConfig"] | null;
            /**
             * Format: int64
             * @description The number of choices to generate. Each is charged
             */
            n?: number | null;
            /** @description Whether the model may call several tools at once */
            parallel_tool_calls?: boolean;
            prediction?: components["schemas"]["ChatPrediction"] | null;
            /**
             * Format: double
             * @description Positive values make a token less likely if it is in the text already
             */
            presence_penalty?: number | null;
            /** @description Requests with the same key are likelier to find the beginning of their conversation in the provider's cache */
            prompt_cache_key?: string | null;
            prompt_cache_options?: components["schemas"]["PromptCacheOptions"];
            /** @description How long the provider's cache keeps the conversation */
            prompt_cache_retention?: ("in_memory" | "24h" | (string & {}) | null);
            /** @description How much the model should reason */
            reasoning_effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | (string & {}) | null);
            response_format?: components["schemas"]["ResponseFormat"];
            /** @description A stable pseudonym of the end user, by which the provider can recognize abuse */
            safety_identifier?: string | null;
            /**
             * Format: int64
             * @description Requests with the same seed and parameters should get the same answer, as far as the upstream can
             */
            seed?: number | null;
            /** @description The service tier to use. A tier can have prices of its own; the call is charged by the tier that the answer names */
            service_tier?: ("auto" | "default" | "flex" | "scale" | "priority" | "fast" | (string & {}) | null);
            stop?: components["schemas"]["ChatStop"] | null;
            /** @description Whether the upstream may keep the completion */
            store?: boolean | null;
            /** @description Return the answer as a stream of events */
            stream?: boolean | null;
            stream_options?: components["schemas"]["StreamOptions"] | null;
            /**
             * Format: double
             * @description How random the answer is
             */
            temperature?: number | null;
            tool_choice?: components["schemas"]["ChatToolChoice"];
            /** @description The tools that the model may call */
            tools?: components["schemas"]["ChatTool"][];
            /**
             * Format: int64
             * @description The number of most likely tokens to return at each position
             */
            top_logprobs?: number | null;
            /**
             * Format: double
             * @description Choose only among the most likely tokens whose probabilities add up to this value
             */
            top_p?: number | null;
            /** @description The end user. Older name of safety_identifier and prompt_cache_key */
            user?: string;
            /** @description How long the answer should be */
            verbosity?: ("low" | "medium" | "high" | (string & {}) | null);
            web_search_options?: components["schemas"]["ChatWebSearchOptions"];
        } & {
            [key: string]: unknown;
        };
        /** @description The text of a message, or its parts */
        ChatContent: components["schemas"]["ChatText"] | components["schemas"]["ChatParts"];
        /** @description A call of a custom tool */
        ChatCustomCall: {
            custom: components["schemas"]["CustomCall"];
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom";
        } & {
            [key: string]: unknown;
        };
        /** @description The custom tool that the model must call */
        ChatCustomChoice: {
            custom: components["schemas"]["ChatToolName"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom";
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of a custom tool's call */
        ChatCustomDelta: {
            input?: string;
            name?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The format of a custom tool's input. The default is any text */
        ChatCustomFormat: components["schemas"]["ChatTextFormat"] | components["schemas"]["ChatGrammarFormat"];
        /** @description A tool of the caller whose input is a text */
        ChatCustomTool: {
            custom: components["schemas"]["CustomTool"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom";
        } & {
            [key: string]: unknown;
        };
        /** @description A voice that was made at the provider */
        ChatCustomVoice: {
            id: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The part of a message that a chunk adds */
        ChatDelta: {
            /** @description Sources of the answer */
            annotations?: components["schemas"]["ChatAnnotation"][] | null;
            audio?: components["schemas"]["ChatAudio"] | null;
            content?: string | null;
            function_call?: components["schemas"]["ChatCalledOnce"] | null;
            /** @description Further pictures, each as a whole. Not a field of OpenAI */
            images?: components["schemas"]["ChatPicture"][] | null;
            /** @description A piece of the model's reasoning, if the upstream shows it. Not a field of OpenAI */
            reasoning_content?: string | null;
            refusal?: string | null;
            role?: ("assistant" | "developer" | "system" | "tool" | "user" | (string & {}));
            tool_calls?: components["schemas"]["ChatToolCallDelta"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Instructions of the application. Newer models use them in place of system messages */
        ChatDeveloperMessage: {
            content: components["schemas"]["ChatTextContent"];
            /** @description Tells participants of the same role apart */
            name?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "developer";
        } & {
            [key: string]: unknown;
        };
        /** @description A file: its data, or the id of a file that the provider has */
        ChatFile: {
            /** @description The file as a data URL in base64 */
            file_data?: string;
            file_id?: string;
            /** @example invoice.pdf */
            filename?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A file, such as a PDF */
        ChatFilePart: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            file: components["schemas"]["ChatFile"];
            prompt_cache_breakpoint?: components["schemas"]["PromptCacheBreakpoint"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file";
        } & {
            [key: string]: unknown;
        };
        /** @description A function that the model may call */
        ChatFunction: {
            /** @description When and how to call the function. The model reads it */
            description?: string;
            /** @example get_weather */
            name: string;
            /** @description A JSON schema of the arguments */
            parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Whether the arguments must match the schema exactly */
            strict?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A call of a function */
        ChatFunctionCall: {
            extra_content?: components["schemas"]["ExtraContent"] | null;
            function: components["schemas"]["ChatCalled"];
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "function";
        } & {
            [key: string]: unknown;
        };
        /** @description The function that the model must call */
        ChatFunctionChoice: {
            function: components["schemas"]["ChatToolName"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "function";
        } & {
            [key: string]: unknown;
        };
        /** @description The result of a function call in the older form */
        ChatFunctionMessage: {
            content: string | null;
            /** @description The name of the function */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "function";
        } & {
            [key: string]: unknown;
        };
        /** @description Older form of tool_choice */
        ChatFunctionMode: components["schemas"]["ChatFunctionModeName"] | components["schemas"]["ChatToolName"];
        /** @description none: call no function. auto: the model decides */
        ChatFunctionModeName: ("none" | "auto" | (string & {}));
        /** @description A function of the caller */
        ChatFunctionTool: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            function: components["schemas"]["ChatFunction"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "function";
        } & {
            [key: string]: unknown;
        };
        /** @description A message that the model generated */
        ChatGenerated: {
            /** @description The sources of the answer, for example pages of a web search */
            annotations?: components["schemas"]["ChatAnnotation"][] | null;
            audio?: components["schemas"]["ChatAudio"] | null;
            /** @description The text; null if there is none, for example because the model calls a tool */
            content: string | null;
            function_call?: components["schemas"]["ChatCalledOnce"] | null;
            /** @description The pictures that the model drew. Not a field of OpenAI */
            images?: components["schemas"]["ChatPicture"][] | null;
            /** @description The model's reasoning, if the upstream shows it. Not a field of OpenAI */
            reasoning_content?: string | null;
            /** @description Why the model refused to answer */
            refusal?: string | null;
            role: ("assistant" | (string & {}));
            tool_calls?: components["schemas"]["ChatToolCall"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A grammar */
        ChatGrammar: {
            definition: string;
            syntax: ("lark" | "regex" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description A text of a grammar */
        ChatGrammarFormat: {
            grammar: components["schemas"]["ChatGrammar"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "grammar";
        } & {
            [key: string]: unknown;
        };
        /** @description An image */
        ChatImagePart: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            image_url: components["schemas"]["ChatImageURL"];
            prompt_cache_breakpoint?: components["schemas"]["PromptCacheBreakpoint"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image_url";
        } & {
            [key: string]: unknown;
        };
        /** @description Where an image is */
        ChatImageURL: {
            /** @description In how much detail the model looks at the image; more detail is more tokens */
            detail?: ("auto" | "low" | "high" | "original" | (string & {}));
            /**
             * @description A URL that the upstream can fetch, or the image itself as a data URL
             * @example https://example.com/cat.png
             */
            url: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The data of a sound */
        ChatInputAudio: {
            /** @description The data in base64 */
            data: string;
            format: ("wav" | "mp3" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description The log probabilities of the tokens of a choice */
        ChatLogprobs: {
            content?: components["schemas"]["TokenLogprob"][] | null;
            refusal?: components["schemas"]["TokenLogprob"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A message of the conversation */
        ChatMessage: components["schemas"]["ChatDeveloperMessage"] | components["schemas"]["ChatSystemMessage"] | components["schemas"]["ChatUserMessage"] | components["schemas"]["ChatAssistantMessage"] | components["schemas"]["ChatToolMessage"] | components["schemas"]["ChatFunctionMessage"];
        /** @description What the provider found in the request and in the answer, if the request asks for it */
        ChatModeration: {
            input?: components["schemas"]["ModerationReport"];
            output?: components["schemas"]["ModerationReport"];
        } & {
            [key: string]: unknown;
        };
        /** @description Let the provider check the request and the answer for harmful content */
        ChatModerationConfig: {
            /** @description The model that checks */
            model: string;
            policy?: components["schemas"]["ModerationPolicy"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The tool that the model must call, or the tools that it may call */
        ChatNamedToolChoice: components["schemas"]["ChatFunctionChoice"] | components["schemas"]["ChatCustomChoice"] | components["schemas"]["ChatAllowedTools"] | components["schemas"]["ChatOtherChoice"];
        /** @description A source of a type that this document does not name */
        ChatOtherAnnotation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A call of a type that this document does not name */
        ChatOtherCall: {
            id?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A choice of a type that this document does not name */
        ChatOtherChoice: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A part of a type that this document does not name */
        ChatOtherPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A tool of a type that this document does not name */
        ChatOtherTool: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A part of a message */
        ChatPart: components["schemas"]["ChatTextPart"] | components["schemas"]["ChatImagePart"] | components["schemas"]["ChatAudioPart"] | components["schemas"]["ChatFilePart"] | components["schemas"]["ChatRefusalPart"] | components["schemas"]["ChatOtherPart"];
        /** @description The parts of a message */
        ChatParts: components["schemas"]["ChatPart"][];
        /** @description A picture that the model drew */
        ChatPicture: {
            image_url: components["schemas"]["ChatPictureURL"];
            /**
             * Format: int64
             * @description The number of the picture in the answer, from 0
             */
            index?: number;
            type: ("image_url" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description Where a picture is */
        ChatPictureURL: {
            /**
             * @description The picture itself as a data URL. Some upstreams give a URL at which it can be fetched
             * @example data:image/png;base64,iVBORw0KGgo=
             */
            url: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A text that most of the answer is likely to repeat, such as a file with a small change. It makes the answer faster */
        ChatPrediction: {
            content: components["schemas"]["ChatTextContent"];
            /** @enum {string} */
            type: "content";
        } & {
            [key: string]: unknown;
        };
        /** @description A part of an assistant message in which the model refused to answer */
        ChatRefusalPart: {
            refusal: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "refusal";
        } & {
            [key: string]: unknown;
        };
        /** @description Up to 4 sequences at which the answer ends. It does not contain them */
        ChatStop: components["schemas"]["ChatStopSequence"] | components["schemas"]["ChatStopSequences"];
        /** @description A sequence at which the answer ends */
        ChatStopSequence: string;
        /** @description Sequences at which the answer ends */
        ChatStopSequences: string[];
        /** @description Instructions of the application */
        ChatSystemMessage: {
            content: components["schemas"]["ChatTextContent"];
            /** @description Tells participants of the same role apart */
            name?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "system";
        } & {
            [key: string]: unknown;
        };
        /** @description A text */
        ChatText: string;
        /** @description A text, or a text in parts */
        ChatTextContent: components["schemas"]["ChatText"] | components["schemas"]["ChatTextParts"];
        /** @description Any text */
        ChatTextFormat: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        } & {
            [key: string]: unknown;
        };
        /** @description A text */
        ChatTextPart: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            prompt_cache_breakpoint?: components["schemas"]["PromptCacheBreakpoint"] | null;
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        } & {
            [key: string]: unknown;
        };
        /** @description The parts of a text */
        ChatTextParts: components["schemas"]["ChatTextPart"][];
        /** @description A tool that the model may call */
        ChatTool: components["schemas"]["ChatFunctionTool"] | components["schemas"]["ChatCustomTool"] | components["schemas"]["ChatOtherTool"];
        /** @description A call of a tool */
        ChatToolCall: components["schemas"]["ChatFunctionCall"] | components["schemas"]["ChatCustomCall"] | components["schemas"]["ChatOtherCall"];
        /** @description A piece of a tool call. Only its first piece has the id, the type and the name */
        ChatToolCallDelta: {
            custom?: components["schemas"]["ChatCustomDelta"];
            extra_content?: components["schemas"]["ExtraContent"] | null;
            function?: components["schemas"]["ChatCalledOnce"];
            id?: string;
            /**
             * Format: int64
             * @description The index of the call to which the piece belongs
             */
            index: number;
            type?: ("function" | "custom" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description Whether the model must call tools, and which */
        ChatToolChoice: components["schemas"]["ChatToolMode"] | components["schemas"]["ChatNamedToolChoice"];
        /** @description The result of a tool call */
        ChatToolMessage: {
            content: components["schemas"]["ChatContent"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "tool";
            /** @description The id of the call */
            tool_call_id: string;
        } & {
            [key: string]: unknown;
        };
        /** @description none: call no tool. auto: the model decides. required: call at least one */
        ChatToolMode: ("none" | "auto" | "required" | (string & {}));
        /** @description A tool of the request */
        ChatToolName: {
            name: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A tool of the request, by its type and name */
        ChatToolReference: {
            custom?: components["schemas"]["ChatToolName"];
            function?: components["schemas"]["ChatToolName"];
            type: ("function" | "custom" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description A web page as the source of a part of the content */
        ChatURLAnnotation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "url_citation";
            url_citation: components["schemas"]["ChatURLCitation"];
        } & {
            [key: string]: unknown;
        };
        /** @description A web page that a part of the content cites */
        ChatURLCitation: {
            /**
             * Format: int64
             * @description The last character of the content that cites the page
             */
            end_index?: number;
            /**
             * Format: int64
             * @description The first character of the content that cites the page
             */
            start_index?: number;
            title?: string;
            url: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The tokens of a call. The details are parts of the totals */
        ChatUsage: {
            /** Format: int64 */
            completion_tokens: number;
            completion_tokens_details?: components["schemas"]["CompletionDetails"] | null;
            /** Format: int64 */
            prompt_tokens: number;
            prompt_tokens_details?: components["schemas"]["PromptDetails"] | null;
            /** @description The amount deducted in USD; only if the request has the header x-tollgate-include-quota, or the tenant has turned it on for all calls */
            quota?: string;
            /** @description What the tools did that the provider ran, if they did anything and the channel is translated. Not a field of OpenAI's chat completions */
            tool_usage?: components["schemas"]["ToolUsage"];
            /** Format: int64 */
            total_tokens: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Where the end user is */
        ChatUserLocation: {
            approximate: components["schemas"]["ApproximateLocation"];
            /** @enum {string} */
            type: "approximate";
        } & {
            [key: string]: unknown;
        };
        /** @description What the end user says, shows or attaches */
        ChatUserMessage: {
            content: components["schemas"]["ChatContent"];
            /** @description Tells participants of the same role apart */
            name?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "user";
        } & {
            [key: string]: unknown;
        };
        /** @description The voice of spoken answers: the name of one of the provider's voices, or the id of a voice that was made there */
        ChatVoice: components["schemas"]["ChatVoiceName"] | components["schemas"]["ChatCustomVoice"];
        /** @description The name of a voice */
        ChatVoiceName: ("alloy" | "ash" | "ballad" | "coral" | "echo" | "fable" | "nova" | "onyx" | "sage" | "shimmer" | "verse" | "marin" | "cedar" | (string & {}));
        /** @description Let the provider search the web for the answer. Each search can have a price */
        ChatWebSearchOptions: {
            /** @description How much of the found pages the model reads */
            search_context_size?: ("low" | "medium" | "high" | (string & {}));
            user_location?: components["schemas"]["ChatUserLocation"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A request to compact a conversation */
        CompactRequest: {
            image?: components["schemas"]["ResponseImageSettings"] | null;
            input?: components["schemas"]["ResponseInput"] | null;
            /** @description Instructions for the model, as a system message */
            instructions?: string | null;
            /**
             * @description The id of a model that the token can use
             * @example gpt-4o-mini
             */
            model: string;
            /** @description The id of the response to compact. If a channel stores that response, the request is sent to that channel */
            previous_response_id?: string | null;
            /** @description Requests with the same key are likely to find each other's prompts in the provider's cache */
            prompt_cache_key?: string | null;
            prompt_cache_options?: components["schemas"]["ResponseCacheOptions"] | null;
            /** @description How long the provider caches the prompt */
            prompt_cache_retention?: ("in_memory" | "24h" | (string & {}) | null);
            /** @description How fast the provider serves the request; a tier can have prices of its own */
            service_tier?: ("auto" | "default" | "fast" | "flex" | "priority" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description A compacted conversation. Its output is the input of the next request */
        CompactedResponse: {
            /**
             * Format: double
             * @description Unix time in seconds
             */
            created_at: number;
            /** @description An opaque id. Only the tenant that created it can use it */
            id: string;
            image?: components["schemas"]["ResponseImageSettings"] | null;
            /** @enum {string} */
            object: "response.compaction";
            /** @description The items that stand for the conversation: the messages of the user, and an item of the type compaction with encrypted content, which only the channel that made it can read */
            output: components["schemas"]["ResponseInputItem"][];
            usage: components["schemas"]["ResponseUsage"];
        } & {
            [key: string]: unknown;
        };
        /** @description Parts of the completion tokens */
        CompletionDetails: {
            /**
             * Format: int64
             * @description Tokens of the request's prediction that are in the answer
             */
            accepted_prediction_tokens?: number | null;
            /** Format: int64 */
            audio_tokens?: number | null;
            /**
             * Format: int64
             * @description Not a field of OpenAI's chat completions
             */
            image_tokens?: number | null;
            /** Format: int64 */
            reasoning_tokens?: number | null;
            /**
             * Format: int64
             * @description Tokens of the request's prediction that are not in the answer; they are charged as well
             */
            rejected_prediction_tokens?: number | null;
            /** Format: int64 */
            text_tokens?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The name and the input of a custom tool's call */
        CustomCall: {
            input: string;
            name: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A tool whose input is a text */
        CustomTool: {
            /** @description When and how to call the tool. The model reads it */
            description?: string;
            format?: components["schemas"]["ChatCustomFormat"];
            name: string;
        } & {
            [key: string]: unknown;
        };
        DayUsage: {
            /**
             * @description The day, in UTC
             * @example 2026-11-23
             */
            date: string;
            /**
             * Format: int64
             * @description Number of calls that failed
             */
            failed: number;
            /**
             * Format: int64
             * @description Input tokens of all classes
             */
            input_tokens: number;
            model: string;
            /**
             * Format: int64
             * @description Output tokens of all classes
             */
            output_tokens: number;
            /** @description Quota deducted, in USD */
            quota: string;
            /**
             * Format: int64
             * @description Number of calls, failed ones included
             */
            requests: number;
        } & {
            [key: string]: unknown;
        };
        DeletedResponse: {
            deleted: boolean;
            id: string;
            object: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The vector of one input */
        Embedding: {
            embedding: components["schemas"]["EmbeddingVector"];
            /**
             * Format: int64
             * @description The place of the input in the request
             */
            index: number;
            /** @enum {string} */
            object: "embedding";
        } & {
            [key: string]: unknown;
        };
        /** @description The 32-bit numbers of a vector in little-endian order, in base64 */
        EmbeddingBase64: string;
        /** @description A text, an array of texts, an array of the token ids of one text, or an array of such arrays. Providers limit the number of inputs; OpenAI's limit is 2,048 */
        EmbeddingInput: components["schemas"]["EmbeddingText"] | components["schemas"]["EmbeddingItems"];
        /** @description A text, a token, or the tokens of a text. All items of an input are of one kind */
        EmbeddingItem: components["schemas"]["EmbeddingText"] | components["schemas"]["EmbeddingToken"] | components["schemas"]["EmbeddingTokens"];
        /** @description Several texts, the tokens of one text, or the tokens of several texts */
        EmbeddingItems: components["schemas"]["EmbeddingItem"][];
        /** @description The vectors of the inputs */
        EmbeddingList: {
            /** @description The vectors, in the order of the inputs */
            data: components["schemas"]["Embedding"][];
            /** @description The model that the upstream names */
            model: string;
            /** @enum {string} */
            object: "list";
            usage: components["schemas"]["EmbeddingUsage"];
        } & {
            [key: string]: unknown;
        };
        /** @description The numbers of a vector */
        EmbeddingNumbers: number[];
        /** @description A request for embeddings */
        EmbeddingRequest: {
            /**
             * Format: int64
             * @description The number of dimensions of the vectors, for models that can shorten them
             */
            dimensions?: number | null;
            /** @description float: an array of numbers, the default. base64: the 32-bit numbers in little-endian order, in base64 */
            encoding_format?: ("float" | "base64" | (string & {}) | null);
            input: components["schemas"]["EmbeddingInput"];
            /**
             * @description The id of a model that the token can use
             * @example text-embedding-3-small
             */
            model: string;
            /** @description A stable pseudonym of the end user */
            user?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A text */
        EmbeddingText: string;
        /**
         * Format: int64
         * @description The id of a token
         */
        EmbeddingToken: number;
        /** @description The tokens of one text */
        EmbeddingTokens: number[];
        /** @description The tokens of the inputs */
        EmbeddingUsage: {
            /**
             * Format: int64
             * @description The tokens of all inputs. An estimate if the channel is translated and its upstream reports none
             */
            prompt_tokens: number;
            /** @description The amount deducted in USD; only if the request has the header x-tollgate-include-quota, or the tenant has turned it on for all calls */
            quota?: string;
            /**
             * Format: int64
             * @description The same, because there is no output
             */
            total_tokens: number;
        } & {
            [key: string]: unknown;
        };
        /** @description A vector, in the encoding of the request */
        EmbeddingVector: components["schemas"]["EmbeddingNumbers"] | components["schemas"]["EmbeddingBase64"];
        ErrorObject: {
            /** @description The kind of error for programs, null if the upstream named none */
            code: string | null;
            /** @description What went wrong and what to do next, for people */
            message: string;
            /** @description The request field that caused the error, null if no single field did */
            param: string | null;
            /**
             * @description The class of the error
             * @example invalid_request_error
             */
            type: string;
        } & {
            [key: string]: unknown;
        };
        ErrorResponse: {
            /** @description What went wrong */
            error: components["schemas"]["ErrorObject"];
            /** @description The id of the request; only in answers in the format of Anthropic's API */
            request_id?: string;
            /** @description Only in answers in the format of Anthropic's API */
            type?: ("error" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description What Google's models want back with the call. Not a field of OpenAI */
        ExtraContent: {
            google?: components["schemas"]["GoogleExtra"];
        } & {
            [key: string]: unknown;
        };
        /** @description What Google's models want back with the call */
        GoogleExtra: {
            /** @description The sealed reasoning that led to the call */
            thought_signature?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The tokens of the tool that generates images */
        ImageGenerations: {
            /** Format: int64 */
            input_tokens: number;
            input_tokens_details?: components["schemas"]["ImageInputTokens"];
            /** Format: int64 */
            output_tokens: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Parts of the input tokens */
        ImageInputTokens: {
            /** Format: int64 */
            image_tokens: number;
            /** Format: int64 */
            text_tokens: number;
        } & {
            [key: string]: unknown;
        };
        InputTokenCount: {
            /**
             * Format: int64
             * @description The number of input tokens
             */
            input_tokens: number;
            /** @enum {string} */
            object: "response.input_tokens";
        } & {
            [key: string]: unknown;
        };
        /** @description A request to count the tokens that a response would read */
        InputTokenCountRequest: {
            conversation?: components["schemas"]["ResponseConversation"] | null;
            input?: components["schemas"]["ResponseInput"] | null;
            /** @description Instructions for the model, as a system message */
            instructions?: string | null;
            /**
             * @description The id of a model that the token can use
             * @example gpt-4o-mini
             */
            model: string;
            /** @description Whether the model may call several tools at once. Defaults to true */
            parallel_tool_calls?: boolean | null;
            /** @description The style of the answer */
            personality?: ("friendly" | "pragmatic" | (string & {}) | null);
            /** @description The id of the response to continue */
            previous_response_id?: string | null;
            reasoning?: components["schemas"]["ResponseReasoning"] | null;
            text?: components["schemas"]["ResponseTextConfig"] | null;
            tool_choice?: components["schemas"]["ResponseToolChoice"] | null;
            /** @description The tools that the model may call */
            tools?: components["schemas"]["ResponseTool"][] | null;
            /** @description What happens to an input that is longer than the model can read: auto leaves out its oldest items, disabled refuses it */
            truncation?: ("auto" | "disabled" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description A schema for the answer */
        JsonSchema: {
            /** @description What the answer is for. The model reads it */
            description?: string;
            /** @example city */
            name: string;
            /** @description A JSON schema */
            schema?: {
                [key: string]: unknown;
            };
            /** @description Whether the answer must match the schema exactly */
            strict?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A complete answer in the format of Anthropic's API */
        Message: {
            content: components["schemas"]["MessageAnswerBlock"][];
            id: string;
            model: string;
            role: ("assistant" | (string & {}));
            /** @description Why the model stopped; null at the beginning of a stream. max_tokens: the upper bound, or the quota, was reached. stop_sequence: only if the upstream or the gateway knows it; otherwise end_turn */
            stop_reason: ("end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "pause_turn" | "refusal" | "model_context_window_exceeded" | (string & {}) | null);
            /** @description The stop sequence before which the answer ends, if that is known */
            stop_sequence?: string | null;
            /** @enum {string} */
            type: "message";
            usage: components["schemas"]["MessageUsage"];
        } & {
            [key: string]: unknown;
        };
        /** @description An address from which the provider reads the content */
        MessageAddress: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "url";
            url: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A content block of an answer */
        MessageAnswerBlock: components["schemas"]["MessageAnswerText"] | components["schemas"]["MessageToolUse"] | components["schemas"]["MessageThought"] | components["schemas"]["MessageRedacted"] | components["schemas"]["MessageOtherBlock"];
        /** @description A text */
        MessageAnswerText: {
            /** @description What the text cites */
            citations?: components["schemas"]["MessageCitation"][] | null;
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        } & {
            [key: string]: unknown;
        };
        /** @description A content block of a request */
        MessageBlock: components["schemas"]["MessageTextBlock"] | components["schemas"]["MessageImageBlock"] | components["schemas"]["MessageDocumentBlock"] | components["schemas"]["MessageToolUse"] | components["schemas"]["MessageToolResult"] | components["schemas"]["MessageThought"] | components["schemas"]["MessageRedacted"] | components["schemas"]["MessageOtherBlock"];
        /** @description A piece of a content block */
        MessageBlockDelta: {
            delta: components["schemas"]["MessageDelta"];
            /** Format: int64 */
            index: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "content_block_delta";
        } & {
            [key: string]: unknown;
        };
        /** @description A content block begins */
        MessageBlockStart: {
            content_block: components["schemas"]["MessageAnswerBlock"];
            /** Format: int64 */
            index: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "content_block_start";
        } & {
            [key: string]: unknown;
        };
        /** @description A content block is complete */
        MessageBlockStop: {
            /** Format: int64 */
            index: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "content_block_stop";
        } & {
            [key: string]: unknown;
        };
        /** @description Content blocks */
        MessageBlocks: components["schemas"]["MessageBlock"][];
        /** @description The bytes in base64 */
        MessageBytes: {
            data: string;
            /** @example image/png */
            media_type: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "base64";
        } & {
            [key: string]: unknown;
        };
        /** @description The tokens written to the provider's cache, by the lifetime of the cache */
        MessageCacheWrites: {
            /** Format: int64 */
            ephemeral_1h_input_tokens: number;
            /** Format: int64 */
            ephemeral_5m_input_tokens: number;
        } & {
            [key: string]: unknown;
        };
        /** @description What a part of a text cites */
        MessageCitation: {
            cited_text?: string;
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A text, or content blocks */
        MessageContent: components["schemas"]["MessageString"] | components["schemas"]["MessageBlocks"];
        /** @description A request to count the tokens that a message would read */
        MessageCountRequest: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            /** @description The conversation so far */
            messages: components["schemas"]["MessageTurn"][];
            /**
             * @description The id of a model that the token can use
             * @example claude-sonnet-4-5
             */
            model: string;
            output_config?: components["schemas"]["MessageOutputConfig"] | null;
            system?: components["schemas"]["MessageContent"] | null;
            thinking?: components["schemas"]["MessageThinking"] | null;
            tool_choice?: components["schemas"]["MessageToolChoice"] | null;
            /** @description The tools that the model may call */
            tools?: components["schemas"]["MessageTool"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of a content block: of a text, of thinking, of its signature, or of the JSON of a tool's input */
        MessageDelta: {
            partial_json?: string;
            signature?: string;
            text?: string;
            thinking?: string;
            type: ("text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta" | "citations_delta" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description The answer is complete */
        MessageDeltaEvent: {
            delta: components["schemas"]["MessageEnd"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message_delta";
            usage?: components["schemas"]["MessageUsage"];
        } & {
            [key: string]: unknown;
        };
        /** @description A PDF or a text */
        MessageDocumentBlock: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            /** @description What the document is about; it is not cited */
            context?: string | null;
            source: components["schemas"]["MessageSource"];
            title?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "document";
        } & {
            [key: string]: unknown;
        };
        /** @description Why the model stopped */
        MessageEnd: {
            stop_reason: ("end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "pause_turn" | "refusal" | "model_context_window_exceeded" | (string & {}) | null);
            stop_sequence?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The error that ended the stream */
        MessageErrorEvent: {
            error: components["schemas"]["ErrorObject"];
            /** @description The id of the request */
            request_id?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
        } & {
            [key: string]: unknown;
        };
        /** @description An image */
        MessageImageBlock: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            source: components["schemas"]["MessageSource"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image";
        } & {
            [key: string]: unknown;
        };
        /** @description What the request is about */
        MessageMetadata: {
            /** @description The caller's id of the end user. It is the end user of the usage log, and requests with the same id prefer the same channel, whose cache has their prompts */
            user_id?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A block of a type that this document does not name, such as the result of a tool that the provider ran */
        MessageOtherBlock: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description An event of a type that this document does not name */
        MessageOtherEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description Content of a type that this document does not name */
        MessageOtherSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description The effort and the format of the output */
        MessageOutputConfig: {
            /** @description How much the model thinks and writes */
            effort?: ("low" | "medium" | "high" | "xhigh" | "max" | (string & {}) | null);
            format?: components["schemas"]["MessageOutputFormat"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Parts of the output tokens */
        MessageOutputDetails: {
            /** Format: int64 */
            thinking_tokens: number;
        } & {
            [key: string]: unknown;
        };
        /** @description The format of the output */
        MessageOutputFormat: {
            /** @description The JSON schema that the output matches */
            schema?: {
                [key: string]: unknown;
            };
            type: ("json_schema" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description Keeps the connection alive */
        MessagePing: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ping";
        } & {
            [key: string]: unknown;
        };
        /** @description A text */
        MessagePlainText: {
            data: string;
            /** @example text/plain */
            media_type: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        } & {
            [key: string]: unknown;
        };
        /** @description What the model thought, encrypted. Send the block back unchanged */
        MessageRedacted: {
            data: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "redacted_thinking";
        } & {
            [key: string]: unknown;
        };
        /** @description A request to create a message, in the format of Anthropic's API */
        MessageRequest: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            /** @description The id of a container of the provider that the answer may use again. The gateway must have given the id */
            container?: string | null;
            /** @description Where the provider computes the answer */
            inference_geo?: ("us" | "global" | (string & {}) | null);
            /**
             * Format: int64
             * @description The most output tokens of the answer, with those of its thinking
             * @example 1024
             */
            max_tokens: number;
            /** @description The conversation so far */
            messages: components["schemas"]["MessageTurn"][];
            metadata?: components["schemas"]["MessageMetadata"] | null;
            /**
             * @description The id of a model that the token can use
             * @example claude-sonnet-4-5
             */
            model: string;
            output_config?: components["schemas"]["MessageOutputConfig"] | null;
            output_format?: components["schemas"]["MessageOutputFormat"] | null;
            /** @description How fast the provider serves the request; a tier can have prices of its own */
            service_tier?: ("auto" | "standard_only" | (string & {}) | null);
            /** @description Texts before which the answer ends */
            stop_sequences?: string[] | null;
            /** @description Whether the answer is a stream of events */
            stream?: boolean | null;
            system?: components["schemas"]["MessageContent"] | null;
            /**
             * Format: double
             * @description How varied the answers are, from 0 to 1
             */
            temperature?: number | null;
            thinking?: components["schemas"]["MessageThinking"] | null;
            tool_choice?: components["schemas"]["MessageToolChoice"] | null;
            /** @description The tools that the model may call */
            tools?: components["schemas"]["MessageTool"][] | null;
            /**
             * Format: int64
             * @description Only so many of the most likely tokens are candidates. Only for channels that speak messages
             */
            top_k?: number | null;
            /**
             * Format: double
             * @description Only the most likely tokens with this sum of probabilities are candidates
             */
            top_p?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The calls of tools that the provider ran */
        MessageServerTools: {
            /** Format: int64 */
            web_fetch_requests?: number;
            /** Format: int64 */
            web_search_requests?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description The content of an image or a document */
        MessageSource: components["schemas"]["MessageBytes"] | components["schemas"]["MessageAddress"] | components["schemas"]["MessagePlainText"] | components["schemas"]["MessageOtherSource"];
        /** @description The answer begins */
        MessageStartEvent: {
            message: components["schemas"]["Message"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message_start";
        } & {
            [key: string]: unknown;
        };
        /** @description The end of the stream */
        MessageStopEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message_stop";
        } & {
            [key: string]: unknown;
        };
        /** @description The data of one event of a stream. The last event is message_stop or error */
        MessageStreamEvent: components["schemas"]["MessageStartEvent"] | components["schemas"]["MessageBlockStart"] | components["schemas"]["MessageBlockDelta"] | components["schemas"]["MessageBlockStop"] | components["schemas"]["MessageDeltaEvent"] | components["schemas"]["MessageStopEvent"] | components["schemas"]["MessagePing"] | components["schemas"]["MessageErrorEvent"] | components["schemas"]["MessageOtherEvent"];
        /** @description A text */
        MessageString: string;
        /** @description A text */
        MessageTextBlock: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        } & {
            [key: string]: unknown;
        };
        /** @description Whether the model thinks before it answers. For other channels than those that speak messages, the budget becomes a reasoning effort */
        MessageThinking: {
            /**
             * Format: int64
             * @description The most tokens of the thinking; only for the type enabled
             */
            budget_tokens?: number;
            /** @description Whether the answer has the text of the thinking */
            display?: ("summarized" | "omitted" | (string & {}) | null);
            type: ("enabled" | "disabled" | "adaptive" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description What the model thought. Send the block back unchanged: only the upstream that made it can read its signature */
        MessageThought: {
            signature: string;
            thinking: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "thinking";
        } & {
            [key: string]: unknown;
        };
        /** @description The number of input tokens */
        MessageTokenCount: {
            /**
             * Format: int64
             * @description With the system prompt and the tools
             */
            input_tokens: number;
        } & {
            [key: string]: unknown;
        };
        /** @description A tool of the caller, with an input_schema; or a tool that Anthropic describes, such as web_search_20250305 or bash_20250124, only for channels that speak messages. The provider runs some of these, and a call can have a price */
        MessageTool: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            /** @description When and how to call the tool. The model reads it */
            description?: string;
            /** @description A JSON schema of the input; required of a tool of the caller */
            input_schema?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description The most calls of a tool that the provider runs
             */
            max_uses?: number | null;
            /** @example get_weather */
            name?: string;
            /** @description Whether the input must match the schema exactly */
            strict?: boolean | null;
            /**
             * @description custom or absent: a tool of the caller. Otherwise the name and version of a tool that Anthropic describes
             * @example custom
             */
            type?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Whether the model must call tools, and which */
        MessageToolChoice: {
            /** @description Whether the model may call only one tool at once */
            disable_parallel_tool_use?: boolean;
            /** @description Of the tool to call */
            name?: string;
            /** @description auto: the model decides. any: call at least one. tool: call the tool with the name. none: call no tool */
            type: ("auto" | "any" | "tool" | "none" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description The result of a tool call */
        MessageToolResult: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            content?: components["schemas"]["MessageContent"] | null;
            /** @description Whether the tool failed */
            is_error?: boolean | null;
            /** @description The id of the call */
            tool_use_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_result";
        } & {
            [key: string]: unknown;
        };
        /** @description A call of a tool */
        MessageToolUse: {
            cache_control?: components["schemas"]["CacheControl"] | null;
            id: string;
            input: {
                [key: string]: unknown;
            };
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_use";
        } & {
            [key: string]: unknown;
        };
        /** @description A message of the conversation */
        MessageTurn: {
            content: components["schemas"]["MessageContent"];
            role: ("user" | "assistant" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description The tokens of a call. The counts of the input do not overlap */
        MessageUsage: {
            cache_creation?: components["schemas"]["MessageCacheWrites"] | null;
            /**
             * Format: int64
             * @description Written to the provider's cache
             */
            cache_creation_input_tokens?: number | null;
            /**
             * Format: int64
             * @description Read from the provider's cache
             */
            cache_read_input_tokens?: number | null;
            /**
             * Format: int64
             * @description Neither read from the provider's cache nor written to it. At the beginning of a translated stream it is an estimate
             */
            input_tokens?: number | null;
            /** Format: int64 */
            output_tokens: number;
            output_tokens_details?: components["schemas"]["MessageOutputDetails"] | null;
            /** @description The amount deducted in USD; only if the request has the header x-tollgate-include-quota, or the tenant has turned it on for all calls */
            quota?: string;
            server_tool_use?: components["schemas"]["MessageServerTools"] | null;
            /** @description The service tier that served the call; a tier can have prices of its own */
            service_tier?: ("standard" | "priority" | "batch" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        Modalities: {
            input: ("text" | "image" | "audio" | "video" | "file" | (string & {}))[];
            output: ("text" | "image" | "audio" | "video" | "file" | (string & {}))[];
        } & {
            [key: string]: unknown;
        };
        Model: {
            /**
             * Format: int64
             * @description The most tokens of input and output together; absent if that is not known. Not a field of OpenAI's API
             * @example 128000
             */
            context_length?: number;
            /**
             * Format: int64
             * @description Unix time in seconds
             */
            created: number;
            /** Format: date-time */
            created_at?: string;
            /** @description A name of the model for people */
            display_name?: string;
            /**
             * @description The id to send as model in requests
             * @example gpt-4o-mini
             */
            id: string;
            /**
             * Format: int64
             * @description The most tokens of one answer; absent if that is not known. Not a field of OpenAI's API
             * @example 16384
             */
            max_output_tokens?: number;
            /** @description What the model reads and writes; absent if that is not known. Not a field of OpenAI's API */
            modalities?: components["schemas"]["Modalities"];
            /** @enum {string} */
            object: "model";
            /** @example openai */
            owned_by: string;
            /** @description This and the following fields are those of Anthropic's API. They are only present if the request has the header anthropic-version */
            type?: ("model" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        ModelList: {
            data: components["schemas"]["Model"][];
            /** @description The id of the first model of the page, for before_id; null if it is empty */
            first_id?: string | null;
            /** @description Whether there are more models beyond this page. This and the following fields are those of Anthropic's API. They are only present if the request has the header anthropic-version */
            has_more?: boolean;
            /** @description The id of the last model of the page, for after_id */
            last_id?: string | null;
            /** @enum {string} */
            object: "list";
        } & {
            [key: string]: unknown;
        };
        /** @description Why nothing could be checked */
        ModerationError: {
            code: string;
            message: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
        } & {
            [key: string]: unknown;
        };
        /** @description What the provider does with harmful content in the request or in the answer */
        ModerationMode: {
            mode: ("score" | "block" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description A report that this document does not name */
        ModerationOther: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description What the provider does with harmful content */
        ModerationPolicy: {
            input?: components["schemas"]["ModerationMode"] | null;
            output?: components["schemas"]["ModerationMode"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description What was found, or why nothing could be */
        ModerationReport: components["schemas"]["ModerationResults"] | components["schemas"]["ModerationError"] | components["schemas"]["ModerationOther"];
        /** @description What was found in one text or image */
        ModerationResult: {
            /** @description Whether the content belongs to each category */
            categories: {
                [key: string]: boolean;
            };
            /** @description For which kinds of input each category was checked */
            category_applied_input_types?: {
                [key: string]: ("text" | "image" | (string & {}))[];
            };
            /** @description How sure the model is of each category, from 0 to 1 */
            category_scores: {
                [key: string]: number;
            };
            flagged: boolean;
            /** @description The model that checked */
            model?: string;
            type?: ("moderation_result" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description What was found */
        ModerationResults: {
            /** @description The model that checked */
            model: string;
            results: components["schemas"]["ModerationResult"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "moderation_results";
        } & {
            [key: string]: unknown;
        };
        /** @description The conversation is cached up to and including this part */
        PromptCacheBreakpoint: {
            /** @enum {string} */
            mode: "explicit";
            /** @description How long the cache keeps it */
            ttl?: ("30m" | "12h" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description How the provider caches the conversation */
        PromptCacheOptions: {
            /** @description explicit: only up to the parts that have a prompt_cache_breakpoint */
            mode?: ("implicit" | "explicit" | (string & {}));
            /** @description How long the cache keeps the conversation */
            ttl?: ("30m" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description Parts of the prompt tokens */
        PromptDetails: {
            /** Format: int64 */
            audio_tokens?: number | null;
            /**
             * Format: int64
             * @description Part of cache_write_tokens: tokens written to a cache that lives for one hour. Not a field of OpenAI
             */
            cache_write_1h_tokens?: number;
            /**
             * Format: int64
             * @description Tokens written to the provider's cache
             */
            cache_write_tokens?: number | null;
            /**
             * Format: int64
             * @description Tokens that were in the provider's cache already
             */
            cached_tokens?: number | null;
            /** Format: int64 */
            image_tokens?: number | null;
            /** Format: int64 */
            text_tokens?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A response of a model, with the settings of its request */
        Response: {
            access_programs?: components["schemas"]["ResponseAccessPrograms"] | null;
            background?: boolean | null;
            billing?: components["schemas"]["ResponseBilling"] | null;
            /**
             * Format: double
             * @description Unix time in seconds
             */
            completed_at?: number | null;
            conversation?: components["schemas"]["ResponseConversationObject"] | null;
            /**
             * Format: double
             * @description Unix time in seconds
             */
            created_at: number;
            error?: components["schemas"]["ResponseError"] | null;
            /** Format: double */
            frequency_penalty?: number | null;
            /** @description An opaque id. Only the tenant that created the response can use it */
            id: string;
            image?: components["schemas"]["ResponseImageSettings"] | null;
            incomplete_details?: components["schemas"]["ResponseIncomplete"] | null;
            /** @description The reasoning items of the input that the provider kept from the model, in order */
            input_transformations?: components["schemas"]["ResponseInputChange"][] | null;
            instructions?: components["schemas"]["ResponseInput"] | null;
            /** Format: int64 */
            max_output_tokens?: number | null;
            /** Format: int64 */
            max_tool_calls?: number | null;
            metadata?: {
                [key: string]: string;
            } | null;
            model: string;
            moderation?: components["schemas"]["ResponseModeration"] | null;
            /** @enum {string} */
            object: "response";
            /** @description The items that the model generated, in order */
            output: components["schemas"]["ResponseOutputItem"][];
            /** @description The text of all messages of the output. Always present in JSON answers */
            output_text?: string;
            parallel_tool_calls?: boolean | null;
            /** Format: double */
            presence_penalty?: number | null;
            previous_response_id?: string | null;
            prompt?: components["schemas"]["ResponsePrompt"] | null;
            prompt_cache_diagnostics?: components["schemas"]["ResponseCacheDiagnostics"] | null;
            prompt_cache_key?: string | null;
            prompt_cache_options?: components["schemas"]["ResponseCacheOptions"] | null;
            prompt_cache_retention?: ("in_memory" | "24h" | (string & {}) | null);
            reasoning?: components["schemas"]["ResponseReasoning"] | null;
            safety_identifier?: string | null;
            /** @description The service tier that served the call; a tier can have prices of its own */
            service_tier?: ("auto" | "default" | "flex" | "scale" | "priority" | "fast" | "ultrafast" | (string & {}) | null);
            status?: ("completed" | "incomplete" | "failed" | "in_progress" | "queued" | "cancelled" | (string & {}));
            store?: boolean | null;
            /** Format: double */
            temperature?: number | null;
            text?: components["schemas"]["ResponseTextConfig"] | null;
            tool_choice?: components["schemas"]["ResponseToolChoice"] | null;
            tool_usage?: components["schemas"]["ResponseToolUsage"] | null;
            tools?: components["schemas"]["ResponseTool"][] | null;
            /** Format: int64 */
            top_logprobs?: number | null;
            /** Format: double */
            top_p?: number | null;
            truncation?: ("auto" | "disabled" | (string & {}) | null);
            usage?: components["schemas"]["ResponseUsage"] | null;
            user?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Programs of the provider that give access to restricted abilities */
        ResponseAccessPrograms: {
            cyber?: ("standard" | "daybreak_blue" | "daybreak_red" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description More tools, which the model can call from here on */
        ResponseAdditionalTools: {
            id?: string | null;
            role: ("developer" | "user" | "assistant" | "system" | "tool" | "critic" | "discriminator" | "unknown" | (string & {}));
            tools: components["schemas"]["ResponseTool"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "additional_tools";
        } & {
            [key: string]: unknown;
        };
        /** @description The hosts of these domains */
        ResponseAllowedHosts: {
            allowed_domains: string[];
            /** @description Secrets that the provider adds to requests, so that code does not see them */
            domain_secrets?: components["schemas"]["ResponseDomainSecret"][] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "allowlist";
        } & {
            [key: string]: unknown;
        };
        /** @description The model may only call these of the request's tools */
        ResponseAllowedTools: {
            /** @description Whether it may or must call them */
            mode: ("auto" | "required" | (string & {}));
            /** @description Each tool with its type and what identifies it, such as the name of a function */
            tools: {
                [key: string]: unknown;
            }[];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "allowed_tools";
        } & {
            [key: string]: unknown;
        };
        /** @description A token that was likely at a position */
        ResponseAlternativeProbability: {
            /** @description The token in UTF-8 */
            bytes?: number[] | null;
            /**
             * Format: double
             * @description The logarithm of the probability
             */
            logprob?: number;
            token?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A source of a text */
        ResponseAnnotation: components["schemas"]["ResponseURLCitation"] | components["schemas"]["ResponseFileCitation"] | components["schemas"]["ResponseContainerFile"] | components["schemas"]["ResponseFilePath"] | components["schemas"]["ResponseOtherAnnotation"];
        /** @description A text has a new source */
        ResponseAnnotationEvent: {
            annotation: components["schemas"]["ResponseAnnotation"] | null;
            /** Format: int64 */
            annotation_index: number;
            /**
             * Format: int64
             * @description The index of the part in the item's content
             */
            content_index: number;
            /** @description The id of the item */
            item_id: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.output_text.annotation.added";
        } & {
            [key: string]: unknown;
        };
        /** @description An edit of a file, which the caller applies */
        ResponseApplyPatchCall: {
            /** @description Connects the call with its result */
            call_id: string;
            caller?: components["schemas"]["ResponseCaller"] | null;
            created_by?: string | null;
            id?: string | null;
            operation: components["schemas"]["ResponsePatchOperation"];
            status?: ("in_progress" | "completed" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "apply_patch_call";
        } & {
            [key: string]: unknown;
        };
        /** @description The result of an edit of a file */
        ResponseApplyPatchOutput: {
            /** @description The call_id of the call */
            call_id: string;
            caller?: components["schemas"]["ResponseCaller"] | null;
            created_by?: string | null;
            id?: string | null;
            /** @description A text for the model */
            output?: string | null;
            status: ("completed" | "failed" | (string & {}));
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "apply_patch_call_output";
        } & {
            [key: string]: unknown;
        };
        /** @description Edits of files, which the caller applies */
        ResponseApplyPatchTool: {
            allowed_callers?: ("direct" | "programmatic" | (string & {}))[] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "apply_patch";
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of the arguments of a call */
        ResponseArgumentsDeltaEvent: {
            delta: string;
            /** @description The id of the item */
            item_id: string;
            /** @description Padding without meaning */
            obfuscation?: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.function_call_arguments.delta" | "response.mcp_call_arguments.delta";
        } & {
            [key: string]: unknown;
        };
        /** @description The arguments of a call are complete */
        ResponseArgumentsDoneEvent: {
            /** @description JSON */
            arguments: string;
            /** @description The id of the item */
            item_id: string;
            /** @description The name of the function */
            name?: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.function_call_arguments.done" | "response.mcp_call_arguments.done";
        } & {
            [key: string]: unknown;
        };
        /** @description An attribute of a file */
        ResponseAttribute: components["schemas"]["ResponseAttributeText"] | components["schemas"]["ResponseAttributeNumber"] | components["schemas"]["ResponseAttributeFlag"];
        /** @description An attribute that is true or false */
        ResponseAttributeFlag: boolean;
        /** @description Texts and numbers */
        ResponseAttributeList: components["schemas"]["ResponseListedValue"][];
        /** @description An attribute that is a number */
        ResponseAttributeNumber: number;
        /** @description An attribute that is a text */
        ResponseAttributeText: string;
        /** @description A sound */
        ResponseAudioData: {
            /** @description Base64 */
            data: string;
            format: ("mp3" | "wav" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of a sound, in base64, or of its transcript */
        ResponseAudioDeltaEvent: {
            delta: string;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.audio.delta" | "response.audio.transcript.delta";
        } & {
            [key: string]: unknown;
        };
        /** @description A sound or its transcript is complete */
        ResponseAudioDoneEvent: {
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.audio.done" | "response.audio.transcript.done";
        } & {
            [key: string]: unknown;
        };
        /** @description The settings of a new container */
        ResponseAutoContainer: {
            /** @description Files to copy into the container */
            file_ids?: string[] | null;
            memory_limit?: ("1g" | "4g" | "16g" | "64g" | (string & {}) | null);
            network_policy?: components["schemas"]["ResponseNetworkPolicy"] | null;
            /** @enum {string} */
            type: "auto";
        } & {
            [key: string]: unknown;
        };
        /** @description How the provider generates a response in the background */
        ResponseBackgroundOptions: {
            /** @description How long the provider may take; a longer time can have prices of its own */
            completion_window?: ("soonest" | "2h" | "8h" | (string & {}) | null);
            /** @description Your name for related requests, by which the provider orders them */
            continuation_id?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Who pays the provider, as some providers report it. What the call costs here is in usage.quota and the headers */
        ResponseBilling: {
            payer?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The provider caches the prompt up to the part that has this */
        ResponseCacheBreakpoint: {
            mode: ("explicit" | (string & {}));
            ttl?: ("30m" | "12h" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description Whether the provider found the prompt in its cache, and why not */
        ResponseCacheDiagnostics: components["schemas"]["ResponseCacheMiss"] | components["schemas"]["ResponseCacheState"] | components["schemas"]["ResponseOtherDiagnostics"];
        /** @description The prompt was not in the cache */
        ResponseCacheMiss: {
            /** Format: int64 */
            cache_missed_tokens: number;
            /**
             * Format: int64
             * @description Tokens at the beginning that both prompts have
             */
            comparison_reusable_tokens?: number;
            reason: ("model_changed" | "prompt_cache_key_changed" | "tools_changed" | "text_format_changed" | "reasoning_effort_changed" | "verbosity_changed" | "context_compacted" | "input_changed" | "service_tier_changed" | (string & {}));
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "cache_miss";
        } & {
            [key: string]: unknown;
        };
        /** @description How the provider caches the prompt */
        ResponseCacheOptions: {
            /** @description The response with whose prompt the provider compares this one, for prompt_cache_diagnostics of the answer */
            comparison_response_id?: string | null;
            /** @description With explicit the provider caches up to the breakpoints that parts of the input have */
            mode?: ("implicit" | "explicit" | (string & {}) | null);
            /** @description Write the prompt to the cache without generating an answer */
            prewarm?: boolean | null;
            ttl?: ("30m" | "12h" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description The prompt was in the cache, or the provider cannot tell */
        ResponseCacheState: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "cache_hit" | "comparison_response_not_found" | "unavailable";
        } & {
            [key: string]: unknown;
        };
        /** @description Tokens written to the provider's cache, by its lifetime */
        ResponseCacheWrite: {
            /** Format: int64 */
            ttl_12h_tokens?: number;
            /** Format: int64 */
            ttl_30m_tokens?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Who made the call: the model itself, or a program that it wrote */
        ResponseCaller: components["schemas"]["ResponseDirectCaller"] | components["schemas"]["ResponseProgramCaller"] | components["schemas"]["ResponseOtherCaller"];
        /** @description The model must call this custom tool */
        ResponseChosenCustomTool: {
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom";
        } & {
            [key: string]: unknown;
        };
        /** @description The model must call this function */
        ResponseChosenFunction: {
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "function";
        } & {
            [key: string]: unknown;
        };
        /** @description The model must call this MCP server */
        ResponseChosenMCP: {
            /** @description A tool of the server */
            name?: string | null;
            /** @description The label of the server; can be left out if the request has one */
            server_label?: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "mcp";
        } & {
            [key: string]: unknown;
        };
        /** @description The model must call this tool of the provider */
        ResponseChosenProvider: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "apply_patch" | "code_interpreter" | "computer" | "computer_use" | "computer_use_preview" | "file_search" | "image_generation" | "programmatic_tool_calling" | "shell" | "web_search" | "web_search_preview" | "web_search_preview_2025_03_11";
        } & {
            [key: string]: unknown;
        };
        /** @description The id of a container, or the settings of a new one */
        ResponseCodeContainer: components["schemas"]["ResponseContainerID"] | components["schemas"]["ResponseAutoContainer"];
        /** @description A piece of code */
        ResponseCodeDeltaEvent: {
            delta: string;
            /** @description The id of the item */
            item_id: string;
            /** @description Padding without meaning */
            obfuscation?: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.code_interpreter_call_code.delta";
        } & {
            [key: string]: unknown;
        };
        /** @description Code is complete */
        ResponseCodeDoneEvent: {
            /** @description The complete code */
            code: string;
            /** @description The id of the item */
            item_id: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.code_interpreter_call_code.done";
        } & {
            [key: string]: unknown;
        };
        /** @description An image that code made */
        ResponseCodeImage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image";
            url: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Code that the model ran in a container of the provider */
        ResponseCodeInterpreterCall: {
            code?: string | null;
            container_id?: string | null;
            id?: string | null;
            /** @description With include: code_interpreter_call.outputs */
            outputs?: components["schemas"]["ResponseCodeOutput"][] | null;
            status?: ("in_progress" | "completed" | "incomplete" | "interpreting" | "failed" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "code_interpreter_call";
        } & {
            [key: string]: unknown;
        };
        /** @description Runs Python code in a container of the provider */
        ResponseCodeInterpreterTool: {
            allowed_callers?: ("direct" | "programmatic" | (string & {}))[] | null;
            container: components["schemas"]["ResponseCodeContainer"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "code_interpreter";
        } & {
            [key: string]: unknown;
        };
        /** @description What code printed */
        ResponseCodeLogs: {
            logs: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "logs";
        } & {
            [key: string]: unknown;
        };
        /** @description What code printed or drew */
        ResponseCodeOutput: components["schemas"]["ResponseCodeLogs"] | components["schemas"]["ResponseCodeImage"] | components["schemas"]["ResponseOtherCodeOutput"];
        /** @description A command of a shell begins */
        ResponseCommandAddedEvent: {
            command: string;
            /** Format: int64 */
            command_index: number;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.shell_call_command.added";
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of a command of a shell */
        ResponseCommandDeltaEvent: {
            /** Format: int64 */
            command_index: number;
            delta: string;
            /** @description Padding without meaning */
            obfuscation?: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.shell_call_command.delta";
        } & {
            [key: string]: unknown;
        };
        /** @description A command of a shell is complete */
        ResponseCommandDoneEvent: {
            command: string;
            /** Format: int64 */
            command_index: number;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.shell_call_command.done";
        } & {
            [key: string]: unknown;
        };
        /** @description An earlier part of the conversation in a short form */
        ResponseCompactionItem: {
            created_by?: string | null;
            /** @description Only the channel that made it can read it */
            encrypted_content: string;
            id?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "compaction";
        } & {
            [key: string]: unknown;
        };
        /** @description Compact the conversation up to here */
        ResponseCompactionTrigger: {
            id?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "compaction_trigger";
        } & {
            [key: string]: unknown;
        };
        /** @description An action on a computer */
        ResponseComputerAction: components["schemas"]["ResponseComputerClick"] | components["schemas"]["ResponseComputerPoint"] | components["schemas"]["ResponseComputerDrag"] | components["schemas"]["ResponseComputerKeypress"] | components["schemas"]["ResponseComputerScroll"] | components["schemas"]["ResponseComputerText"] | components["schemas"]["ResponseComputerPause"] | components["schemas"]["ResponseOtherComputerAction"];
        /** @description Actions that the caller performs on a computer. The next input has a screenshot in a computer_call_output */
        ResponseComputerCall: {
            action?: components["schemas"]["ResponseComputerAction"] | null;
            /** @description Several actions, in order */
            actions?: components["schemas"]["ResponseComputerAction"][] | null;
            /** @description Connects the call with its result */
            call_id: string;
            id?: string | null;
            /** @description What a person must confirm before the caller performs the actions */
            pending_safety_checks?: components["schemas"]["ResponseSafetyCheck"][] | null;
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "computer_call";
        } & {
            [key: string]: unknown;
        };
        /** @description A click */
        ResponseComputerClick: {
            button: ("left" | "right" | "wheel" | "back" | "forward" | (string & {}));
            /** @description Keys to hold down */
            keys?: string[] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "click";
            /** Format: int64 */
            x: number;
            /** Format: int64 */
            y: number;
        } & {
            [key: string]: unknown;
        };
        /** @description A move of the pointer with its button held down */
        ResponseComputerDrag: {
            /** @description Keys to hold down */
            keys?: string[] | null;
            path: components["schemas"]["ResponseScreenPoint"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "drag";
        } & {
            [key: string]: unknown;
        };
        /** @description Keys pressed together */
        ResponseComputerKeypress: {
            keys: string[];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "keypress";
        } & {
            [key: string]: unknown;
        };
        /** @description The screen after the actions of a computer_call */
        ResponseComputerOutput: {
            /** @description What a person confirmed */
            acknowledged_safety_checks?: components["schemas"]["ResponseSafetyCheck"][] | null;
            /** @description The call_id of the call */
            call_id: string;
            created_by?: string | null;
            id?: string | null;
            output: components["schemas"]["ResponseScreenshot"];
            status?: ("completed" | "incomplete" | "failed" | "in_progress" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "computer_call_output";
        } & {
            [key: string]: unknown;
        };
        /** @description A screenshot, or a pause */
        ResponseComputerPause: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "screenshot" | "wait";
        } & {
            [key: string]: unknown;
        };
        /** @description A double click, or a move of the pointer */
        ResponseComputerPoint: {
            /** @description Keys to hold down */
            keys?: string[] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "double_click" | "move";
            /** Format: int64 */
            x: number;
            /** Format: int64 */
            y: number;
        } & {
            [key: string]: unknown;
        };
        /** @description A computer that the caller operates for the model, older version */
        ResponseComputerPreviewTool: {
            /**
             * Format: int64
             * @description Pixels
             */
            display_height: number;
            /**
             * Format: int64
             * @description Pixels
             */
            display_width: number;
            environment: ("windows" | "mac" | "linux" | "ubuntu" | "browser" | (string & {}));
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "computer_use_preview";
        } & {
            [key: string]: unknown;
        };
        /** @description A scroll at a point */
        ResponseComputerScroll: {
            /** @description Keys to hold down */
            keys?: string[] | null;
            /**
             * Format: int64
             * @description Pixels to the right
             */
            scroll_x: number;
            /**
             * Format: int64
             * @description Pixels down
             */
            scroll_y: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "scroll";
            /** Format: int64 */
            x: number;
            /** Format: int64 */
            y: number;
        } & {
            [key: string]: unknown;
        };
        /** @description A text to type */
        ResponseComputerText: {
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "type";
        } & {
            [key: string]: unknown;
        };
        /** @description A computer that the caller operates for the model */
        ResponseComputerTool: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "computer";
        } & {
            [key: string]: unknown;
        };
        /** @description Settings that are in effect from here on */
        ResponseConfigurationUpdate: {
            id?: string | null;
            reasoning?: components["schemas"]["ResponseReasoningUpdate"] | null;
            text?: components["schemas"]["ResponseTextConfiguration"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "configuration_update";
        } & {
            [key: string]: unknown;
        };
        /** @description A container of the provider that exists */
        ResponseContainer: {
            container_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "container_reference";
        } & {
            [key: string]: unknown;
        };
        /** @description A file in a container that ran code */
        ResponseContainerFile: {
            container_id: string;
            /**
             * Format: int64
             * @description The end of the text that names the file
             */
            end_index?: number | null;
            file_id: string;
            filename?: string | null;
            /**
             * Format: int64
             * @description The first character of the text that names the file
             */
            start_index?: number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "container_file_citation";
        } & {
            [key: string]: unknown;
        };
        /** @description The id of a container */
        ResponseContainerID: string;
        /** @description A text, or a list of parts such as texts, images and files */
        ResponseContent: components["schemas"]["ResponseContentString"] | components["schemas"]["ResponseContentList"];
        /** @description A list of parts */
        ResponseContentList: components["schemas"]["ResponseContentPart"][];
        /** @description A part of the content of a message. Messages of the assistant have output_text, refusal and reasoning_text, the others have input_text, input_image, input_file and input_audio */
        ResponseContentPart: components["schemas"]["ResponseInputText"] | components["schemas"]["ResponseInputImage"] | components["schemas"]["ResponseInputFile"] | components["schemas"]["ResponseInputAudio"] | components["schemas"]["ResponseOutputText"] | components["schemas"]["ResponseRefusal"] | components["schemas"]["ResponseReasoningText"] | components["schemas"]["ResponseOtherPart"];
        /** @description A text */
        ResponseContentString: string;
        /** @description A way to shorten a long conversation */
        ResponseContextManagement: {
            /**
             * Format: int64
             * @description The number of tokens from which on the conversation is compacted
             */
            compact_threshold?: number | null;
            type: ("compaction" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description The conversation, stored by the provider, to which the response is added: its id, or an object with its id */
        ResponseConversation: components["schemas"]["ResponseConversationID"] | components["schemas"]["ResponseConversationObject"];
        /** @description The id of a conversation */
        ResponseConversationID: string;
        /** @description A conversation that the provider stores */
        ResponseConversationObject: {
            id: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The format of a custom tool's input. The default is any text */
        ResponseCustomFormat: components["schemas"]["ResponsePlainText"] | components["schemas"]["ResponseGrammar"] | components["schemas"]["ResponseOtherCustomFormat"];
        /** @description A tool of the caller whose input is text */
        ResponseCustomTool: {
            allowed_callers?: ("direct" | "programmatic" | (string & {}))[] | null;
            /** @description Whether the model continues before it has the result */
            async?: boolean | null;
            /** @description Whether the model sees the tool only after it found the tool with a search */
            defer_loading?: boolean | null;
            /** @description When and how to call the tool; the model reads it */
            description?: string | null;
            format?: components["schemas"]["ResponseCustomFormat"] | null;
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom";
        } & {
            [key: string]: unknown;
        };
        /** @description A call of a custom tool of the caller */
        ResponseCustomToolCall: {
            /** @description Whether the model continues before it has the result */
            async?: boolean | null;
            /** @description Connects the call with its result */
            call_id: string;
            caller?: components["schemas"]["ResponseCaller"] | null;
            created_by?: string | null;
            id?: string | null;
            input: string;
            name: string;
            /** @description The group of the tool */
            namespace?: string | null;
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom_tool_call";
        } & {
            [key: string]: unknown;
        };
        /** @description The result of a call of a custom tool */
        ResponseCustomToolOutput: {
            /** @description The call_id of the call */
            call_id: string;
            caller?: components["schemas"]["ResponseCaller"] | null;
            created_by?: string | null;
            id?: string | null;
            output: components["schemas"]["ResponseContent"];
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom_tool_call_output";
        } & {
            [key: string]: unknown;
        };
        /** @description The model made the call itself */
        ResponseDirectCaller: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "direct";
        } & {
            [key: string]: unknown;
        };
        /** @description The sites that a search may use */
        ResponseDomainRules: {
            /** @description Domains, with their subdomains */
            allowed_domains?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A secret for requests to a domain */
        ResponseDomainSecret: {
            domain: string;
            name: string;
            value: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Why a response failed */
        ResponseError: {
            code: ("server_error" | "rate_limit_exceeded" | "invalid_prompt" | "data_residency_mismatch" | "bio_policy" | "misalignment_policy_violation" | "vector_store_timeout" | "invalid_image" | "invalid_image_format" | "invalid_base64_image" | "invalid_image_url" | "image_too_large" | "image_too_small" | "image_parse_error" | "image_content_policy_violation" | "invalid_image_mode" | "image_file_too_large" | "unsupported_image_media_type" | "empty_image_file" | "failed_to_download_image" | "image_file_not_found" | (string & {}));
            message: string;
            misalignment?: components["schemas"]["ResponseMisalignment"] | null;
            /** @description The request field that caused the error */
            param?: string | null;
            type?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The upstream reports an error. The stream ends with it or with response.failed */
        ResponseErrorEvent: {
            code?: string | null;
            /** @description The error, if the upstream reports it in an object of its own */
            error?: components["schemas"]["ResponseStreamError"];
            message?: string;
            /** @description The request field that caused the error */
            param?: string | null;
            /** Format: int64 */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
        } & {
            [key: string]: unknown;
        };
        /** @description A file of a file search */
        ResponseFileCitation: {
            file_id: string;
            filename?: string | null;
            /**
             * Format: int64
             * @description The character of the text that cites the file
             */
            index?: number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file_citation";
        } & {
            [key: string]: unknown;
        };
        /** @description Compares an attribute with a value */
        ResponseFileComparison: {
            /** @description The name of the attribute */
            key: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "eq" | "gt" | "gte" | "in" | "lt" | "lte" | "ne" | "nin";
            value: components["schemas"]["ResponseFileValue"];
        } & {
            [key: string]: unknown;
        };
        /** @description Combines conditions */
        ResponseFileCompound: {
            filters: components["schemas"]["ResponseFileCondition"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "and" | "or";
        } & {
            [key: string]: unknown;
        };
        /** @description A condition on the attributes of a file */
        ResponseFileCondition: components["schemas"]["ResponseFileComparison"] | components["schemas"]["ResponseFileCompound"];
        /** @description A file that the model made */
        ResponseFilePath: {
            file_id: string;
            /**
             * Format: int64
             * @description The character of the text that names the file
             */
            index?: number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file_path";
        } & {
            [key: string]: unknown;
        };
        /** @description A search in files that the provider stores */
        ResponseFileSearchCall: {
            id?: string | null;
            queries: string[];
            /** @description With include: file_search_call.results */
            results?: components["schemas"]["ResponseFoundInFile"][] | null;
            status?: ("in_progress" | "searching" | "completed" | "incomplete" | "failed" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file_search_call";
        } & {
            [key: string]: unknown;
        };
        /** @description A search in files that the provider stores */
        ResponseFileSearchTool: {
            filters?: components["schemas"]["ResponseFileCondition"] | null;
            /** Format: int64 */
            max_num_results?: number | null;
            ranking_options?: components["schemas"]["ResponseRanking"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file_search";
            vector_store_ids: string[];
        } & {
            [key: string]: unknown;
        };
        /** @description A value that an attribute of a file is compared with. The comparisons in and nin have a list */
        ResponseFileValue: components["schemas"]["ResponseAttributeText"] | components["schemas"]["ResponseAttributeNumber"] | components["schemas"]["ResponseAttributeFlag"] | components["schemas"]["ResponseAttributeList"];
        /** @description The format of the answer: text, any JSON object, or JSON with a given schema */
        ResponseFormat: components["schemas"]["ResponseFormatText"] | components["schemas"]["ResponseFormatJSONObject"] | components["schemas"]["ResponseFormatJSONSchema"] | components["schemas"]["ResponseFormatOther"];
        /** @description A JSON object. A message of the conversation must ask for JSON */
        ResponseFormatJSONObject: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "json_object";
        } & {
            [key: string]: unknown;
        };
        /** @description JSON with a given schema */
        ResponseFormatJSONSchema: {
            json_schema: components["schemas"]["JsonSchema"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "json_schema";
        } & {
            [key: string]: unknown;
        };
        /** @description A format of a type that this document does not name */
        ResponseFormatOther: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description Plain text */
        ResponseFormatText: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        } & {
            [key: string]: unknown;
        };
        /** @description A place that a search found in a file */
        ResponseFoundInFile: {
            attributes?: {
                [key: string]: components["schemas"]["ResponseAttribute"];
            } | null;
            file_id?: string | null;
            filename?: string | null;
            /**
             * Format: double
             * @description How well the place fits, from 0 to 1
             */
            score?: number | null;
            text?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A call of a function of the caller. The next input has its result in a function_call_output */
        ResponseFunctionCall: {
            /** @description JSON */
            arguments: string;
            /** @description Whether the model continues before it has the result */
            async?: boolean | null;
            /** @description Connects the call with its result */
            call_id: string;
            caller?: components["schemas"]["ResponseCaller"] | null;
            created_by?: string | null;
            id?: string | null;
            name: string;
            /** @description The group of the function */
            namespace?: string | null;
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "function_call";
        } & {
            [key: string]: unknown;
        };
        /** @description The result of a function call */
        ResponseFunctionCallOutput: {
            /** @description The call_id of the function call */
            call_id?: string | null;
            caller?: components["schemas"]["ResponseCaller"] | null;
            created_by?: string | null;
            id?: string | null;
            name?: string | null;
            namespace?: string | null;
            output: components["schemas"]["ResponseContent"];
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "function_call_output";
        } & {
            [key: string]: unknown;
        };
        /** @description A function of the caller */
        ResponseFunctionTool: {
            allowed_callers?: ("direct" | "programmatic" | (string & {}))[] | null;
            /** @description Whether the model continues before it has the result */
            async?: boolean | null;
            /** @description Whether the model sees the tool only after it found the tool with a search */
            defer_loading?: boolean | null;
            /** @description When and how to call the function; the model reads it */
            description?: string | null;
            /** @example get_weather */
            name: string;
            /** @description JSON schema of the function's result */
            output_schema?: {
                [key: string]: unknown;
            } | null;
            /** @description JSON schema of the function's arguments */
            parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description Whether the arguments must match the schema exactly. Defaults to true */
            strict?: boolean | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "function";
        } & {
            [key: string]: unknown;
        };
        /** @description Text of a grammar */
        ResponseGrammar: {
            /** @description The grammar itself */
            definition: string;
            syntax: ("lark" | "regex" | (string & {}));
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "grammar";
        } & {
            [key: string]: unknown;
        };
        /** @description The weights of the two kinds of search */
        ResponseHybridSearch: {
            /**
             * Format: double
             * @description Weight of the search by meaning
             */
            embedding_weight: number;
            /**
             * Format: double
             * @description Weight of the search by words
             */
            text_weight: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Tokens that were in the provider's cache already, by their kind */
        ResponseImageCached: {
            /** Format: int64 */
            cached_image_tokens: number;
            /** Format: int64 */
            cached_text_tokens: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Why there is no image */
        ResponseImageError: {
            code?: string | null;
            message: string;
            moderation_details?: components["schemas"]["ResponseImageRefusal"] | null;
            param?: string | null;
            type?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An image that the model generated */
        ResponseImageGenerationCall: {
            action?: ("generate" | "edit" | "auto" | (string & {}) | null);
            background?: ("transparent" | "opaque" | "auto" | (string & {}) | null);
            error?: components["schemas"]["ResponseImageError"] | null;
            id?: string | null;
            output_format?: ("png" | "webp" | "jpeg" | "gif" | "svg" | (string & {}) | null);
            quality?: ("low" | "medium" | "high" | "xhigh" | "max" | "auto" | (string & {}) | null);
            /** @description The image in base64 */
            result?: string | null;
            /** @description The prompt that the image was made from */
            revised_prompt?: string | null;
            size?: string | null;
            status?: ("in_progress" | "completed" | "generating" | "failed" | (string & {}) | null);
            svg_usage?: components["schemas"]["ResponseSVGUsage"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image_generation_call";
        } & {
            [key: string]: unknown;
        };
        /** @description Generates images */
        ResponseImageGenerationTool: {
            action?: ("generate" | "edit" | "auto" | (string & {}) | null);
            background?: ("transparent" | "opaque" | "auto" | (string & {}) | null);
            /** @description The complexity of a drawing */
            complexity?: ("low" | "medium" | "high" | (string & {}) | null);
            /**
             * Format: int64
             * @description The number of frames of an animation
             */
            frame_count?: number | null;
            /**
             * Format: int64
             * @description How long an animation shows each frame, in milliseconds
             */
            frame_duration_ms?: number | null;
            /** @description How closely an edited image follows the given one */
            input_fidelity?: ("high" | "low" | (string & {}) | null);
            input_image_mask?: components["schemas"]["ResponseImageSource"] | null;
            model?: ("gpt-image-1" | "gpt-image-1-mini" | "gpt-image-1.5" | "gpt-image-2" | "chatgpt-image-latest" | (string & {}) | null);
            moderation?: ("auto" | "low" | (string & {}) | null);
            /**
             * Format: int64
             * @description From 0 to 100, for formats that compress
             */
            output_compression?: number | null;
            output_format?: ("png" | "webp" | "jpeg" | "gif" | "svg" | (string & {}) | null);
            /**
             * Format: int64
             * @description How many unfinished images a stream contains, from 0 to 3
             */
            partial_images?: number | null;
            quality?: ("low" | "medium" | "high" | "xhigh" | "max" | "auto" | (string & {}) | null);
            /** @description Width and height in pixels */
            size?: ("1024x1024" | "1024x1536" | "1536x1024" | "auto" | (string & {}) | null);
            svg?: components["schemas"]["ResponseSVGGenerator"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image_generation";
        } & {
            [key: string]: unknown;
        };
        /** @description What the moderation objected to */
        ResponseImageRefusal: {
            categories: string[];
            moderation_stage: ("input" | "output" | "unknown" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description How the provider treats the images of the input */
        ResponseImageSettings: {
            /** @description Whether images take fewer tokens of the context */
            context_compression?: ("auto" | "enabled" | "disabled" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description An image: an uploaded file, or a URL */
        ResponseImageSource: {
            file_id?: string | null;
            /** @description A URL, or the image itself as a data URL */
            image_url?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Tokens by their kind */
        ResponseImageTokens: {
            /** Format: int64 */
            image_tokens: number;
            /** Format: int64 */
            text_tokens: number;
        } & {
            [key: string]: unknown;
        };
        /** @description The tokens of the tool that generates images */
        ResponseImageUsage: {
            /** Format: int64 */
            cached_tokens?: number;
            cached_tokens_details?: components["schemas"]["ResponseImageCached"];
            /** Format: int64 */
            input_tokens: number;
            input_tokens_details?: components["schemas"]["ResponseImageTokens"];
            /** Format: int64 */
            output_tokens: number;
            output_tokens_details?: components["schemas"]["ResponseImageTokens"];
            /** Format: int64 */
            total_tokens?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Why a response ended early */
        ResponseIncomplete: {
            /** @description An answer that ended because the quota was used up has max_output_tokens */
            reason?: ("max_output_tokens" | "max_messages" | "content_filter" | "steered" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description A skill in the request itself */
        ResponseInlineSkill: {
            description: string;
            name: string;
            source: components["schemas"]["ResponseSkillSource"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "inline";
        } & {
            [key: string]: unknown;
        };
        /** @description The input of the model: a text of the user, or a list of messages and other items */
        ResponseInput: components["schemas"]["ResponseInputString"] | components["schemas"]["ResponseInputList"];
        /** @description A sound for the model */
        ResponseInputAudio: {
            input_audio: components["schemas"]["ResponseAudioData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "input_audio";
        } & {
            [key: string]: unknown;
        };
        /** @description What the provider did with an item of the input */
        ResponseInputChange: {
            action: ("removed" | (string & {}));
            /** @description The id of the item */
            id: string;
            reason: ("organization_mismatch" | "end_user_mismatch" | "model_mismatch" | "prefix_mismatch" | "turn_boundary" | (string & {}));
            type: ("reasoning" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of the input of a custom tool */
        ResponseInputDeltaEvent: {
            delta: string;
            /** @description The id of the item */
            item_id: string;
            /** @description Padding without meaning */
            obfuscation?: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.custom_tool_call_input.delta";
        } & {
            [key: string]: unknown;
        };
        /** @description Parts of the input tokens */
        ResponseInputDetails: {
            /**
             * Format: int64
             * @description Not a field of OpenAI's responses
             */
            audio_tokens?: number | null;
            /**
             * Format: int64
             * @description Part of cache_write_tokens: tokens written to a cache that lives for one hour. Not a field of OpenAI
             */
            cache_write_1h_tokens?: number;
            /**
             * Format: int64
             * @description Tokens written to the provider's cache
             */
            cache_write_tokens?: number | null;
            cache_write_tokens_details?: components["schemas"]["ResponseCacheWrite"] | null;
            /**
             * Format: int64
             * @description Tokens that were in the provider's cache already
             */
            cached_tokens?: number | null;
            /**
             * Format: int64
             * @description Not a field of OpenAI's responses
             */
            image_tokens?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The input of a custom tool is complete */
        ResponseInputDoneEvent: {
            /** @description The complete input */
            input: string;
            /** @description The id of the item */
            item_id: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.custom_tool_call_input.done";
        } & {
            [key: string]: unknown;
        };
        /** @description A file for the model: file_data, file_url or file_id */
        ResponseInputFile: {
            /** @description How closely the model looks at the pages */
            detail?: ("auto" | "low" | "high" | (string & {}) | null);
            /** @description The file as a data URL */
            file_data?: string | null;
            /** @description The id of a file that the provider stores */
            file_id?: string | null;
            file_url?: string | null;
            filename?: string | null;
            prompt_cache_breakpoint?: components["schemas"]["ResponseCacheBreakpoint"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "input_file";
        } & {
            [key: string]: unknown;
        };
        /** @description An image for the model: image_url or file_id */
        ResponseInputImage: {
            /** @description How closely the model looks. The default is auto */
            detail?: ("low" | "high" | "auto" | "original" | (string & {}) | null);
            /** @description The id of a file that the provider stores */
            file_id?: string | null;
            /** @description A URL, or the image itself as a data URL */
            image_url?: string | null;
            prompt_cache_breakpoint?: components["schemas"]["ResponseCacheBreakpoint"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "input_image";
        } & {
            [key: string]: unknown;
        };
        /** @description An item of the input: a message, a call, the result of a call, or other things that happened. Every item of an output can be an item of the next input */
        ResponseInputItem: components["schemas"]["ResponseInputMessage"] | components["schemas"]["ResponseFunctionCall"] | components["schemas"]["ResponseFunctionCallOutput"] | components["schemas"]["ResponseCustomToolCall"] | components["schemas"]["ResponseCustomToolOutput"] | components["schemas"]["ResponseReasoningItem"] | components["schemas"]["ResponseCompactionItem"] | components["schemas"]["ResponseCompactionTrigger"] | components["schemas"]["ResponseItemReference"] | components["schemas"]["ResponseWebSearchCall"] | components["schemas"]["ResponseFileSearchCall"] | components["schemas"]["ResponseCodeInterpreterCall"] | components["schemas"]["ResponseImageGenerationCall"] | components["schemas"]["ResponseComputerCall"] | components["schemas"]["ResponseComputerOutput"] | components["schemas"]["ResponseShellCall"] | components["schemas"]["ResponseShellCallOutput"] | components["schemas"]["ResponseLocalShellCall"] | components["schemas"]["ResponseLocalShellOutput"] | components["schemas"]["ResponseApplyPatchCall"] | components["schemas"]["ResponseApplyPatchOutput"] | components["schemas"]["ResponseMCPListTools"] | components["schemas"]["ResponseMCPApprovalRequest"] | components["schemas"]["ResponseMCPApprovalResponse"] | components["schemas"]["ResponseMCPCall"] | components["schemas"]["ResponseToolSearchCall"] | components["schemas"]["ResponseToolSearchOutput"] | components["schemas"]["ResponseAdditionalTools"] | components["schemas"]["ResponseConfigurationUpdate"] | components["schemas"]["ResponseProgram"] | components["schemas"]["ResponseProgramOutput"] | components["schemas"]["ResponseOtherInputItem"];
        /** @description Messages and other items, oldest first */
        ResponseInputList: components["schemas"]["ResponseInputItem"][];
        /** @description A message of the conversation */
        ResponseInputMessage: {
            content: components["schemas"]["ResponseContent"];
            id?: string | null;
            /** @description Whether an assistant's message is a comment on its work or the answer */
            phase?: ("commentary" | "final_answer" | (string & {}) | null);
            role: ("user" | "assistant" | "system" | "developer" | (string & {}));
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description Can be left out (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "message";
        } & {
            [key: string]: unknown;
        };
        /** @description A text of the user */
        ResponseInputString: string;
        /** @description A text for the model */
        ResponseInputText: {
            prompt_cache_breakpoint?: components["schemas"]["ResponseCacheBreakpoint"] | null;
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "input_text";
        } & {
            [key: string]: unknown;
        };
        /** @description An item begins or is complete */
        ResponseItemEvent: {
            item: components["schemas"]["ResponseOutputItem"];
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.output_item.added" | "response.output_item.done";
        } & {
            [key: string]: unknown;
        };
        /** @description A page of a response's input items */
        ResponseItemList: {
            data: components["schemas"]["ResponseInputItem"][];
            first_id?: string | null;
            has_more: boolean;
            last_id?: string | null;
            /** @enum {string} */
            object: "list";
        } & {
            [key: string]: unknown;
        };
        /** @description An item that the provider stores */
        ResponseItemReference: {
            id: string;
            /**
             * @description Can be left out (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "item_reference";
        } & {
            [key: string]: unknown;
        };
        /** @description Any JSON object. The input must ask for JSON too */
        ResponseJSONObject: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "json_object";
        } & {
            [key: string]: unknown;
        };
        /** @description JSON that matches a schema */
        ResponseJSONSchema: {
            /** @description What the schema is for; the model reads it */
            description?: string | null;
            /** @description A name of the schema, which the model sees */
            name: string;
            /** @description A JSON schema */
            schema: {
                [key: string]: unknown;
            };
            /** @description Whether the text must match the schema exactly */
            strict?: boolean | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "json_schema";
        } & {
            [key: string]: unknown;
        };
        /** @description A text or a number */
        ResponseListedValue: components["schemas"]["ResponseAttributeText"] | components["schemas"]["ResponseAttributeNumber"];
        /** @description A command to run */
        ResponseLocalShellAction: {
            /** @description The program and its arguments */
            command: string[];
            /** @description Environment variables */
            env?: {
                [key: string]: string;
            } | null;
            /**
             * Format: int64
             * @description Milliseconds
             */
            timeout_ms?: number | null;
            type: ("exec" | (string & {}));
            /** @description The user that runs the command */
            user?: string | null;
            working_directory?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A command for a shell at the caller, older version */
        ResponseLocalShellCall: {
            action: components["schemas"]["ResponseLocalShellAction"];
            /** @description Connects the call with its result */
            call_id: string;
            id?: string | null;
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "local_shell_call";
        } & {
            [key: string]: unknown;
        };
        /** @description The caller runs the commands */
        ResponseLocalShellEnv: {
            skills?: components["schemas"]["ResponseLocalSkill"][] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "local";
        } & {
            [key: string]: unknown;
        };
        /** @description What the command of a local_shell_call printed */
        ResponseLocalShellOutput: {
            /** @description The call_id of the call */
            id?: string | null;
            /** @description JSON */
            output: string;
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "local_shell_call_output";
        } & {
            [key: string]: unknown;
        };
        /** @description A shell at the caller, older version */
        ResponseLocalShellTool: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "local_shell";
        } & {
            [key: string]: unknown;
        };
        /** @description A skill in the files of the caller */
        ResponseLocalSkill: {
            description: string;
            name: string;
            path: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Where the user is, so that a search can prefer results nearby */
        ResponseLocation: {
            city?: string | null;
            /**
             * @description Two-letter code of the country
             * @example DE
             */
            country?: string | null;
            region?: string | null;
            /** @example Europe/Berlin */
            timezone?: string | null;
            type?: ("approximate" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description The tools of the server that the model may call: their names, or a filter */
        ResponseMCPAllowed: components["schemas"]["ResponseMCPToolNames"] | components["schemas"]["ResponseMCPFilter"];
        /** @description Which calls need an approval of the caller: always, never, or filters */
        ResponseMCPApproval: components["schemas"]["ResponseMCPApprovalSetting"] | components["schemas"]["ResponseMCPApprovalFilters"];
        /** @description The tools whose calls always need an approval, and those whose calls never need one */
        ResponseMCPApprovalFilters: {
            always?: components["schemas"]["ResponseMCPFilter"] | null;
            never?: components["schemas"]["ResponseMCPFilter"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks the caller to approve a call */
        ResponseMCPApprovalRequest: {
            /** @description JSON */
            arguments: string;
            id?: string | null;
            name: string;
            server_label: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "mcp_approval_request";
        } & {
            [key: string]: unknown;
        };
        /** @description The caller's decision about a call */
        ResponseMCPApprovalResponse: {
            approval_request_id: string;
            approve: boolean;
            id?: string | null;
            reason?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "mcp_approval_response";
        } & {
            [key: string]: unknown;
        };
        /** @description Whether every call needs an approval */
        ResponseMCPApprovalSetting: ("always" | "never" | (string & {}));
        /** @description A call of a tool of an MCP server */
        ResponseMCPCall: {
            approval_request_id?: string | null;
            /** @description JSON */
            arguments: string;
            error?: components["schemas"]["ResponseMCPError"] | null;
            id?: string | null;
            name: string;
            /** @description What the tool returned */
            output?: string | null;
            server_label: string;
            status?: ("in_progress" | "completed" | "incomplete" | "calling" | "failed" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "mcp_call";
        } & {
            [key: string]: unknown;
        };
        /** @description Why the call failed: a text, or an object */
        ResponseMCPError: components["schemas"]["ResponseMCPErrorString"] | components["schemas"]["ResponseMCPErrorObject"];
        /** @description Why the call failed */
        ResponseMCPErrorObject: components["schemas"]["ResponseMCPProtocolError"] | components["schemas"]["ResponseMCPExecutionError"] | components["schemas"]["ResponseMCPUnexpectedError"];
        /** @description What went wrong */
        ResponseMCPErrorString: string;
        /** @description The tool failed */
        ResponseMCPExecutionError: {
            /** @description What the tool returned; any JSON */
            content: unknown;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "mcp_tool_execution_error";
        } & {
            [key: string]: unknown;
        };
        /** @description Selects tools of an MCP server */
        ResponseMCPFilter: {
            /** @description Whether the server marks the tools as reading only */
            read_only?: boolean | null;
            tool_names?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The tools that an MCP server has */
        ResponseMCPListTools: {
            /** @description Why the server did not list its tools */
            error?: string | null;
            id?: string | null;
            server_label: string;
            tools: components["schemas"]["ResponseMCPServerTool"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "mcp_list_tools";
        } & {
            [key: string]: unknown;
        };
        /** @description The server could not be called */
        ResponseMCPProtocolError: {
            /** Format: int64 */
            code: number;
            message: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "http_error" | "mcp_protocol_error";
        } & {
            [key: string]: unknown;
        };
        /** @description A tool of an MCP server */
        ResponseMCPServerTool: {
            /** @description What the server says about the tool */
            annotations?: {
                [key: string]: unknown;
            } | null;
            description?: string | null;
            /** @description JSON schema of the tool's arguments */
            input_schema: {
                [key: string]: unknown;
            };
            name: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The tools of an MCP server, which the provider calls */
        ResponseMCPTool: {
            allowed_callers?: ("direct" | "programmatic" | (string & {}))[] | null;
            allowed_tools?: components["schemas"]["ResponseMCPAllowed"] | null;
            /** @description An access token for the server */
            authorization?: string | null;
            /** @description A service that the provider connects to, in place of server_url */
            connector_id?: ("connector_dropbox" | "connector_gmail" | "connector_googlecalendar" | "connector_googledrive" | "connector_microsoftteams" | "connector_outlookcalendar" | "connector_outlookemail" | "connector_sharepoint" | (string & {}) | null);
            /** @description Whether the model sees the tools only after it found them with a search */
            defer_loading?: boolean | null;
            /** @description Headers that the provider sends to the server */
            headers?: {
                [key: string]: string;
            } | null;
            require_approval?: components["schemas"]["ResponseMCPApproval"] | null;
            server_description?: string | null;
            /** @description A name of the server; calls repeat it */
            server_label: string;
            server_url?: string | null;
            /** @description A tunnel to the server, in place of server_url */
            tunnel_id?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "mcp";
        } & {
            [key: string]: unknown;
        };
        /** @description Names of tools */
        ResponseMCPToolNames: string[];
        /** @description An error of a type that this document does not name */
        ResponseMCPUnexpectedError: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description How the response broke the provider's rules on the conduct of models */
        ResponseMisalignment: {
            detailed_explanation?: string | null;
            error_type?: string | null;
            review_target?: string | null;
            steer?: components["schemas"]["ResponseSteer"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description What the moderation found */
        ResponseModeration: {
            input: components["schemas"]["ResponseModerationResult"];
            output: components["schemas"]["ResponseModerationResult"];
        } & {
            [key: string]: unknown;
        };
        /** @description The moderation failed */
        ResponseModerationError: {
            code: string;
            message: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
        } & {
            [key: string]: unknown;
        };
        /** @description What the moderation does */
        ResponseModerationPolicy: {
            input?: components["schemas"]["ResponseModerationRule"] | null;
            output?: components["schemas"]["ResponseModerationRule"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks for a moderation of input and output */
        ResponseModerationRequest: {
            model: string;
            policy?: components["schemas"]["ResponseModerationPolicy"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description What the moderation found on one side of the conversation */
        ResponseModerationResult: components["schemas"]["ResponseModerationScores"] | components["schemas"]["ResponseModerationError"] | components["schemas"]["ResponseUnnamedModeration"];
        /** @description What the moderation does with one side of the conversation */
        ResponseModerationRule: {
            mode: ("score" | "block" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description Scores by category */
        ResponseModerationScores: {
            categories: {
                [key: string]: boolean;
            };
            /** @description The kinds of content, such as text and image, that a category looked at */
            category_applied_input_types: {
                [key: string]: ("text" | "image" | (string & {}))[];
            };
            category_scores: {
                [key: string]: number;
            };
            flagged: boolean;
            model: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "moderation_result";
        } & {
            [key: string]: unknown;
        };
        /** @description A tool of a group */
        ResponseNamespaceItem: components["schemas"]["ResponseFunctionTool"] | components["schemas"]["ResponseCustomTool"] | components["schemas"]["ResponseOtherNamespaceItem"];
        /** @description A group of tools of the caller. Calls have the group's name as their namespace */
        ResponseNamespaceTool: {
            /** @description What the tools are for; the model reads it */
            description?: string | null;
            name: string;
            tools: components["schemas"]["ResponseNamespaceItem"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "namespace";
        } & {
            [key: string]: unknown;
        };
        /** @description Which hosts a container can reach */
        ResponseNetworkPolicy: components["schemas"]["ResponseNoNetwork"] | components["schemas"]["ResponseAllowedHosts"] | components["schemas"]["ResponseOtherNetworkPolicy"];
        /** @description No hosts */
        ResponseNoNetwork: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "disabled";
        } & {
            [key: string]: unknown;
        };
        /** @description An annotation of a type that this document does not name */
        ResponseOtherAnnotation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A caller that this document does not name */
        ResponseOtherCaller: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description An output of a type that this document does not name */
        ResponseOtherCodeOutput: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description An action that this document does not name */
        ResponseOtherComputerAction: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A format that this document does not name */
        ResponseOtherCustomFormat: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A result that this document does not name */
        ResponseOtherDiagnostics: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description An event of a type that this document does not name */
        ResponseOtherEvent: {
            /** Format: int64 */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A format that this document does not name */
        ResponseOtherFormat: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description An item of a type that this document does not name */
        ResponseOtherInputItem: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A tool of a type that this document does not name */
        ResponseOtherNamespaceItem: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A rule that this document does not name */
        ResponseOtherNetworkPolicy: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description An item of a type that this document does not name */
        ResponseOtherOutputItem: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A part of a type that this document does not name */
        ResponseOtherOutputPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A part of a type that this document does not name */
        ResponseOtherPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description An edit that this document does not name */
        ResponseOtherPatchOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A choice that this document does not name */
        ResponseOtherSelection: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A place that this document does not name */
        ResponseOtherShellEnv: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description An end that this document does not name */
        ResponseOtherShellOutcome: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A skill of a type that this document does not name */
        ResponseOtherSkill: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A tool of a type that this document does not name */
        ResponseOtherTool: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description A step that this document does not name */
        ResponseOtherWebAction: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description Parts of the output tokens */
        ResponseOutputDetails: {
            /**
             * Format: int64
             * @description Not a field of OpenAI's responses
             */
            audio_tokens?: number | null;
            /**
             * Format: int64
             * @description Not a field of OpenAI's responses
             */
            image_tokens?: number | null;
            /** Format: int64 */
            reasoning_tokens?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An item that the model generated: a message, a call, or other things that happened */
        ResponseOutputItem: components["schemas"]["ResponseOutputMessage"] | components["schemas"]["ResponseFunctionCall"] | components["schemas"]["ResponseFunctionCallOutput"] | components["schemas"]["ResponseCustomToolCall"] | components["schemas"]["ResponseCustomToolOutput"] | components["schemas"]["ResponseReasoningItem"] | components["schemas"]["ResponseCompactionItem"] | components["schemas"]["ResponseWebSearchCall"] | components["schemas"]["ResponseFileSearchCall"] | components["schemas"]["ResponseCodeInterpreterCall"] | components["schemas"]["ResponseImageGenerationCall"] | components["schemas"]["ResponseComputerCall"] | components["schemas"]["ResponseComputerOutput"] | components["schemas"]["ResponseShellCall"] | components["schemas"]["ResponseShellCallOutput"] | components["schemas"]["ResponseLocalShellCall"] | components["schemas"]["ResponseLocalShellOutput"] | components["schemas"]["ResponseApplyPatchCall"] | components["schemas"]["ResponseApplyPatchOutput"] | components["schemas"]["ResponseMCPListTools"] | components["schemas"]["ResponseMCPApprovalRequest"] | components["schemas"]["ResponseMCPApprovalResponse"] | components["schemas"]["ResponseMCPCall"] | components["schemas"]["ResponseToolSearchCall"] | components["schemas"]["ResponseToolSearchOutput"] | components["schemas"]["ResponseAdditionalTools"] | components["schemas"]["ResponseProgram"] | components["schemas"]["ResponseProgramOutput"] | components["schemas"]["ResponseOtherOutputItem"];
        /** @description A message that the model generated */
        ResponseOutputMessage: {
            content: components["schemas"]["ResponseOutputPart"][];
            id: string;
            /** @description Whether the message is a comment on the work or the answer */
            phase?: ("commentary" | "final_answer" | (string & {}) | null);
            role: ("assistant" | (string & {}));
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message";
        } & {
            [key: string]: unknown;
        };
        /** @description A part of what the model generated */
        ResponseOutputPart: components["schemas"]["ResponseOutputText"] | components["schemas"]["ResponseRefusal"] | components["schemas"]["ResponseReasoningText"] | components["schemas"]["ResponseOtherOutputPart"];
        /** @description A text that the model generated */
        ResponseOutputText: {
            /** @description The sources of the text */
            annotations?: components["schemas"]["ResponseAnnotation"][] | null;
            /** @description The probabilities of the tokens, if the request asked for them */
            logprobs?: components["schemas"]["ResponseTokenProbability"][] | null;
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "output_text";
        } & {
            [key: string]: unknown;
        };
        /** @description A part of an item begins or is complete */
        ResponsePartEvent: {
            /**
             * Format: int64
             * @description The index of the part in the item's content
             */
            content_index: number;
            /** @description The id of the item */
            item_id: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            part: components["schemas"]["ResponseOutputPart"];
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.content_part.added" | "response.content_part.done";
        } & {
            [key: string]: unknown;
        };
        /** @description An unfinished image */
        ResponsePartialImageEvent: {
            background?: string | null;
            /** @description The id of the item */
            item_id: string;
            output_format?: string | null;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /** @description Base64 */
            partial_image_b64: string;
            /** Format: int64 */
            partial_image_index: number;
            quality?: string | null;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            size?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.image_generation_call.partial_image";
        } & {
            [key: string]: unknown;
        };
        /** @description Deletes a file */
        ResponsePatchDelete: {
            path: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "delete_file";
        } & {
            [key: string]: unknown;
        };
        /** @description An edit of a file */
        ResponsePatchOperation: components["schemas"]["ResponsePatchWrite"] | components["schemas"]["ResponsePatchDelete"] | components["schemas"]["ResponseOtherPatchOperation"];
        /** @description Creates or changes a file */
        ResponsePatchWrite: {
            diff: string;
            path: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "create_file" | "update_file";
        } & {
            [key: string]: unknown;
        };
        /** @description Plain text */
        ResponsePlainText: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        } & {
            [key: string]: unknown;
        };
        /** @description A program that the model wrote to call tools */
        ResponseProgram: {
            call_id: string;
            code: string;
            /** @description Proves that the model wrote the program */
            fingerprint: string;
            id?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "program";
        } & {
            [key: string]: unknown;
        };
        /** @description A program of the model made the call */
        ResponseProgramCaller: {
            /** @description The call_id of the program */
            caller_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "program";
        } & {
            [key: string]: unknown;
        };
        /** @description The result of a program */
        ResponseProgramOutput: {
            call_id: string;
            id?: string | null;
            result: string;
            status?: ("completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "program_output";
        } & {
            [key: string]: unknown;
        };
        /** @description Lets the model call tools from a program that it writes */
        ResponseProgrammaticTool: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "programmatic_tool_calling";
        } & {
            [key: string]: unknown;
        };
        /** @description An item of a tool of the provider has a new state */
        ResponseProgressEvent: {
            /** @description The id of the item */
            item_id: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.code_interpreter_call.completed" | "response.code_interpreter_call.in_progress" | "response.code_interpreter_call.interpreting" | "response.compaction.compacting" | "response.file_search_call.completed" | "response.file_search_call.in_progress" | "response.file_search_call.searching" | "response.image_generation_call.completed" | "response.image_generation_call.generating" | "response.image_generation_call.in_progress" | "response.mcp_call.completed" | "response.mcp_call.failed" | "response.mcp_call.in_progress" | "response.mcp_list_tools.completed" | "response.mcp_list_tools.failed" | "response.mcp_list_tools.in_progress" | "response.web_search_call.completed" | "response.web_search_call.in_progress" | "response.web_search_call.searching";
        } & {
            [key: string]: unknown;
        };
        /** @description A template that is stored at the provider */
        ResponsePrompt: {
            id: string;
            /** @description The values of the template's variables */
            variables?: {
                [key: string]: components["schemas"]["ResponsePromptVariable"];
            } | null;
            version?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A text, or a part such as an image */
        ResponsePromptVariable: components["schemas"]["ResponseContentString"] | components["schemas"]["ResponseContentPart"];
        /** @description How results are ranked */
        ResponseRanking: {
            hybrid_search?: components["schemas"]["ResponseHybridSearch"] | null;
            ranker?: ("auto" | "default-2024-11-15" | (string & {}) | null);
            /**
             * Format: double
             * @description The lowest score of a result, from 0 to 1
             */
            score_threshold?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description How much the model reasons, and what the answer tells about it */
        ResponseReasoning: {
            /** @description Which earlier reasoning the model sees */
            context?: ("auto" | "current_turn" | "all_turns" | (string & {}) | null);
            effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | (string & {}) | null);
            /** @description Older name of summary */
            generate_summary?: ("auto" | "concise" | "detailed" | (string & {}) | null);
            mode?: ("standard" | "pro" | (string & {}) | null);
            /** @description The detail of the summary of the reasoning. Without it the answer has no summary */
            summary?: ("auto" | "concise" | "detailed" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of the reasoning */
        ResponseReasoningDeltaEvent: {
            /**
             * Format: int64
             * @description The index of the part in the item's content
             */
            content_index: number;
            delta: string;
            /** @description The id of the item */
            item_id: string;
            /** @description Padding without meaning */
            obfuscation?: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.reasoning_text.delta";
        } & {
            [key: string]: unknown;
        };
        /** @description A text of the reasoning is complete */
        ResponseReasoningDoneEvent: {
            /**
             * Format: int64
             * @description The index of the part in the item's content
             */
            content_index: number;
            /** @description The id of the item */
            item_id: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /** @description The complete text */
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.reasoning_text.done";
        } & {
            [key: string]: unknown;
        };
        /** @description Reasoning of the model. Return it with the next input, so that the model can continue it */
        ResponseReasoningItem: {
            /** @description The reasoning itself, if the model reveals it */
            content?: components["schemas"]["ResponseReasoningText"][] | null;
            /** @description The reasoning in a form that only the channel that made it can read; with include: reasoning.encrypted_content */
            encrypted_content?: string | null;
            id?: string | null;
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            summary: components["schemas"]["ResponseSummaryText"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "reasoning";
        } & {
            [key: string]: unknown;
        };
        /** @description A text of the model's reasoning */
        ResponseReasoningText: {
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "reasoning_text";
        } & {
            [key: string]: unknown;
        };
        /** @description How much the model reasons from here on */
        ResponseReasoningUpdate: {
            effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description The model refused to answer */
        ResponseRefusal: {
            /** @description What the model said */
            refusal: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "refusal";
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of a refusal */
        ResponseRefusalDeltaEvent: {
            /**
             * Format: int64
             * @description The index of the part in the item's content
             */
            content_index: number;
            delta: string;
            /** @description The id of the item */
            item_id: string;
            /** @description Padding without meaning */
            obfuscation?: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.refusal.delta";
        } & {
            [key: string]: unknown;
        };
        /** @description A refusal is complete */
        ResponseRefusalDoneEvent: {
            /**
             * Format: int64
             * @description The index of the part in the item's content
             */
            content_index: number;
            /** @description The id of the item */
            item_id: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /** @description The complete refusal */
            refusal: string;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.refusal.done";
        } & {
            [key: string]: unknown;
        };
        /** @description A request to create a response. Fields that are null have their defaults */
        ResponseRequest: {
            access_programs?: components["schemas"]["ResponseAccessPrograms"] | null;
            /** @description Answer at once and generate the response in the background; retrieve it later */
            background?: boolean | null;
            background_options?: components["schemas"]["ResponseBackgroundOptions"] | null;
            /** @description How the provider shortens a long conversation by itself */
            context_management?: components["schemas"]["ResponseContextManagement"][] | null;
            conversation?: components["schemas"]["ResponseConversation"] | null;
            image?: components["schemas"]["ResponseImageSettings"] | null;
            /** @description Additional data to include in the answer, such as reasoning.encrypted_content. A later request that contains encrypted content is sent to the channel that made the content */
            include?: ("file_search_call.results" | "web_search_call.results" | "web_search_call.action.sources" | "message.input_image.image_url" | "computer_call_output.output.image_url" | "code_interpreter_call.outputs" | "reasoning.encrypted_content" | "message.output_text.logprobs" | (string & {}))[] | null;
            input?: components["schemas"]["ResponseInput"];
            /** @description Instructions for the model, as a system message */
            instructions?: string | null;
            /**
             * Format: int64
             * @description Upper bound of the tokens of the answer, including reasoning tokens
             */
            max_output_tokens?: number | null;
            /**
             * Format: int64
             * @description Upper bound of the calls of tools that the provider runs
             */
            max_tool_calls?: number | null;
            /** @description Labels that are stored with the response */
            metadata?: {
                [key: string]: string;
            } | null;
            /**
             * @description The id of a model that the token can use
             * @example gpt-4o-mini
             */
            model: string;
            moderation?: components["schemas"]["ResponseModerationRequest"] | null;
            /** @description Whether the model may call several tools at once. Defaults to true */
            parallel_tool_calls?: boolean | null;
            /** @description The id of the response to continue. If a channel stores that response, the request is sent to that channel */
            previous_response_id?: string | null;
            prompt?: components["schemas"]["ResponsePrompt"] | null;
            /** @description Requests with the same key are likely to find each other's prompts in the provider's cache */
            prompt_cache_key?: string | null;
            prompt_cache_options?: components["schemas"]["ResponseCacheOptions"] | null;
            /** @description How long the provider caches the prompt */
            prompt_cache_retention?: ("in_memory" | "24h" | (string & {}) | null);
            reasoning?: components["schemas"]["ResponseReasoning"] | null;
            /** @description Identifies the end user for the provider, so that it can act against abuse. Use a hash */
            safety_identifier?: string | null;
            /** @description How fast the provider serves the request; a tier can have prices of its own */
            service_tier?: ("auto" | "default" | "flex" | "scale" | "priority" | "fast" | "ultrafast" | (string & {}) | null);
            /** @description Whether to store the response for retrieval and continuation. Defaults to true */
            store?: boolean | null;
            /** @description Return the answer as a stream of events */
            stream?: boolean | null;
            stream_options?: components["schemas"]["ResponseStreamOptions"] | null;
            /** Format: double */
            temperature?: number | null;
            text?: components["schemas"]["ResponseTextConfig"] | null;
            tool_choice?: components["schemas"]["ResponseToolChoice"] | null;
            /** @description The tools that the model may call */
            tools?: components["schemas"]["ResponseTool"][] | null;
            /**
             * Format: int64
             * @description How many of the most likely tokens to return for each position of the text
             */
            top_logprobs?: number | null;
            /** Format: double */
            top_p?: number | null;
            /** @description What happens to an input that is longer than the model can read: auto leaves out its oldest items, disabled refuses it */
            truncation?: ("auto" | "disabled" | (string & {}) | null);
            /** @description Older name of safety_identifier and prompt_cache_key */
            user?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The model that writes SVG drawings */
        ResponseSVGGenerator: {
            model?: string | null;
            reasoning?: components["schemas"]["ResponseSVGReasoning"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description How much the model reasons about a drawing */
        ResponseSVGReasoning: {
            effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description The tokens of the model that wrote an SVG drawing */
        ResponseSVGUsage: {
            /** Format: int64 */
            input_tokens: number;
            model: string;
            /** Format: int64 */
            output_tokens: number;
            /** Format: int64 */
            reasoning_tokens: number;
            /** Format: int64 */
            total_tokens: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Something that a person must confirm */
        ResponseSafetyCheck: {
            code?: string | null;
            id: string;
            message?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A point of the screen, in pixels from its upper left corner */
        ResponseScreenPoint: {
            /** Format: int64 */
            x: number;
            /** Format: int64 */
            y: number;
        } & {
            [key: string]: unknown;
        };
        /** @description An image of a screen: image_url or file_id */
        ResponseScreenshot: {
            file_id?: string | null;
            /** @description A URL, or the image itself as a data URL */
            image_url?: string | null;
            type: ("computer_screenshot" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description Commands to run */
        ResponseShellAction: {
            commands: string[];
            /**
             * Format: int64
             * @description Upper bound of the characters of the output
             */
            max_output_length?: number | null;
            /**
             * Format: int64
             * @description Milliseconds
             */
            timeout_ms?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Commands for a shell */
        ResponseShellCall: {
            action: components["schemas"]["ResponseShellAction"];
            /** @description Connects the call with its result */
            call_id: string;
            caller?: components["schemas"]["ResponseCaller"] | null;
            created_by?: string | null;
            environment?: components["schemas"]["ResponseShellEnv"] | null;
            id?: string | null;
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "shell_call";
        } & {
            [key: string]: unknown;
        };
        /** @description What the commands of a shell_call printed */
        ResponseShellCallOutput: {
            /** @description The call_id of the call */
            call_id: string;
            caller?: components["schemas"]["ResponseCaller"] | null;
            created_by?: string | null;
            id?: string | null;
            /**
             * Format: int64
             * @description Upper bound of the characters of the output
             */
            max_output_length?: number | null;
            /** @description One for each command */
            output: components["schemas"]["ResponseShellResult"][];
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "shell_call_output";
        } & {
            [key: string]: unknown;
        };
        /** @description A new container of the provider */
        ResponseShellContainer: {
            /** @description Files to copy into the container */
            file_ids?: string[] | null;
            memory_limit?: ("1g" | "4g" | "16g" | "64g" | (string & {}) | null);
            network_policy?: components["schemas"]["ResponseNetworkPolicy"] | null;
            skills?: components["schemas"]["ResponseSkill"][] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "container_auto";
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of what a command printed */
        ResponseShellDeltaEvent: {
            /** Format: int64 */
            command_index: number;
            delta: components["schemas"]["ResponseShellPiece"];
            /** @description The id of the item */
            item_id: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.shell_call_output_content.delta";
        } & {
            [key: string]: unknown;
        };
        /** @description The output of a command is complete */
        ResponseShellDoneEvent: {
            /** Format: int64 */
            command_index: number;
            /** @description The id of the item */
            item_id: string;
            output: components["schemas"]["ResponseShellResult"][];
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.shell_call_output_content.done";
        } & {
            [key: string]: unknown;
        };
        /** @description Where a shell runs */
        ResponseShellEnv: components["schemas"]["ResponseShellContainer"] | components["schemas"]["ResponseContainer"] | components["schemas"]["ResponseLocalShellEnv"] | components["schemas"]["ResponseOtherShellEnv"];
        /** @description The command ended by itself */
        ResponseShellExit: {
            /** Format: int64 */
            exit_code: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "exit";
        } & {
            [key: string]: unknown;
        };
        /** @description How a command ended */
        ResponseShellOutcome: components["schemas"]["ResponseShellExit"] | components["schemas"]["ResponseShellTimeout"] | components["schemas"]["ResponseOtherShellOutcome"];
        /** @description A piece of what a command printed */
        ResponseShellPiece: {
            stderr?: string;
            stdout?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The result of a command */
        ResponseShellResult: {
            created_by?: string | null;
            outcome: components["schemas"]["ResponseShellOutcome"];
            stderr: string;
            stdout: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The command ran too long */
        ResponseShellTimeout: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "timeout";
        } & {
            [key: string]: unknown;
        };
        /** @description A shell, in a container of the provider or at the caller */
        ResponseShellTool: {
            allowed_callers?: ("direct" | "programmatic" | (string & {}))[] | null;
            environment?: components["schemas"]["ResponseShellEnv"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "shell";
        } & {
            [key: string]: unknown;
        };
        /** @description A set of instructions and files that the model can use */
        ResponseSkill: components["schemas"]["ResponseSkillReference"] | components["schemas"]["ResponseInlineSkill"] | components["schemas"]["ResponseOtherSkill"];
        /** @description A skill that the provider stores */
        ResponseSkillReference: {
            skill_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "skill_reference";
            version?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The files of a skill */
        ResponseSkillSource: {
            /** @description Base64 */
            data: string;
            media_type: ("application/zip" | (string & {}));
            type: ("base64" | (string & {}));
        } & {
            [key: string]: unknown;
        };
        /** @description The response has a new state */
        ResponseStateEvent: {
            response: components["schemas"]["Response"];
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.completed" | "response.created" | "response.failed" | "response.in_progress" | "response.incomplete" | "response.queued";
        } & {
            [key: string]: unknown;
        };
        /** @description A hint that leads the model back */
        ResponseSteer: {
            message: string;
        } & {
            [key: string]: unknown;
        };
        /** @description What went wrong */
        ResponseStreamError: {
            code?: string | null;
            message: string;
            /** @description The request field that caused the error */
            param?: string | null;
            type?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The data of one event of a stream. The last event is response.completed, response.incomplete, response.failed or error */
        ResponseStreamEvent: components["schemas"]["ResponseStateEvent"] | components["schemas"]["ResponseItemEvent"] | components["schemas"]["ResponsePartEvent"] | components["schemas"]["ResponseTextDeltaEvent"] | components["schemas"]["ResponseTextDoneEvent"] | components["schemas"]["ResponseAnnotationEvent"] | components["schemas"]["ResponseRefusalDeltaEvent"] | components["schemas"]["ResponseRefusalDoneEvent"] | components["schemas"]["ResponseReasoningDeltaEvent"] | components["schemas"]["ResponseReasoningDoneEvent"] | components["schemas"]["ResponseSummaryPartEvent"] | components["schemas"]["ResponseSummaryDeltaEvent"] | components["schemas"]["ResponseSummaryDoneEvent"] | components["schemas"]["ResponseArgumentsDeltaEvent"] | components["schemas"]["ResponseArgumentsDoneEvent"] | components["schemas"]["ResponseInputDeltaEvent"] | components["schemas"]["ResponseInputDoneEvent"] | components["schemas"]["ResponseCodeDeltaEvent"] | components["schemas"]["ResponseCodeDoneEvent"] | components["schemas"]["ResponsePartialImageEvent"] | components["schemas"]["ResponseProgressEvent"] | components["schemas"]["ResponseCommandAddedEvent"] | components["schemas"]["ResponseCommandDeltaEvent"] | components["schemas"]["ResponseCommandDoneEvent"] | components["schemas"]["ResponseShellDeltaEvent"] | components["schemas"]["ResponseShellDoneEvent"] | components["schemas"]["ResponseAudioDeltaEvent"] | components["schemas"]["ResponseAudioDoneEvent"] | components["schemas"]["ResponseErrorEvent"] | components["schemas"]["ResponseOtherEvent"];
        /** @description Options of a stream */
        ResponseStreamOptions: {
            /** @description Whether events have padding that hides the length of their text from observers of the network. Defaults to true */
            include_obfuscation?: boolean;
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of a summary of the reasoning */
        ResponseSummaryDeltaEvent: {
            delta: string;
            /** @description The id of the item */
            item_id: string;
            /** @description Padding without meaning */
            obfuscation?: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * Format: int64
             * @description The index of the part in the item's summary
             */
            summary_index: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.reasoning_summary_text.delta";
        } & {
            [key: string]: unknown;
        };
        /** @description A part of a summary of the reasoning is complete */
        ResponseSummaryDoneEvent: {
            /** @description The id of the item */
            item_id: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * Format: int64
             * @description The index of the part in the item's summary
             */
            summary_index: number;
            /** @description The complete text */
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.reasoning_summary_text.done";
        } & {
            [key: string]: unknown;
        };
        /** @description A part of a summary of the reasoning begins or is complete */
        ResponseSummaryPartEvent: {
            /** @description The id of the item */
            item_id: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            part: components["schemas"]["ResponseSummaryText"];
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /** @description incomplete if the part was cut off */
            status?: ("incomplete" | (string & {}) | null);
            /**
             * Format: int64
             * @description The index of the part in the item's summary
             */
            summary_index: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.reasoning_summary_part.added" | "response.reasoning_summary_part.done";
        } & {
            [key: string]: unknown;
        };
        /** @description A part of a summary of the reasoning */
        ResponseSummaryText: {
            text: string;
            /** @enum {string} */
            type: "summary_text";
        } & {
            [key: string]: unknown;
        };
        /** @description The form of the text that the model generates */
        ResponseTextConfig: {
            format?: components["schemas"]["ResponseTextFormat"] | null;
            verbosity?: ("low" | "medium" | "high" | (string & {}) | null);
        } & {
            [key: string]: unknown;
        };
        /** @description The form of the text from here on */
        ResponseTextConfiguration: {
            format: components["schemas"]["ResponseTextFormat"];
        } & {
            [key: string]: unknown;
        };
        /** @description A piece of a text */
        ResponseTextDeltaEvent: {
            /**
             * Format: int64
             * @description The index of the part in the item's content
             */
            content_index: number;
            delta: string;
            /** @description The id of the item */
            item_id: string;
            /** @description The probabilities of the tokens, if the request asked for them */
            logprobs?: components["schemas"]["ResponseTokenProbability"][] | null;
            /** @description Padding without meaning */
            obfuscation?: string;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.output_text.delta";
        } & {
            [key: string]: unknown;
        };
        /** @description A text is complete */
        ResponseTextDoneEvent: {
            /**
             * Format: int64
             * @description The index of the part in the item's content
             */
            content_index: number;
            /** @description The id of the item */
            item_id: string;
            /** @description The probabilities of the tokens, if the request asked for them */
            logprobs?: components["schemas"]["ResponseTokenProbability"][] | null;
            /**
             * Format: int64
             * @description The index of the item in the output
             */
            output_index: number;
            /**
             * Format: int64
             * @description Counts the events of the stream from 0. Some upstreams leave it out
             */
            sequence_number?: number;
            /** @description The complete text */
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "response.output_text.done";
        } & {
            [key: string]: unknown;
        };
        /** @description The format of the text. The default is plain text */
        ResponseTextFormat: components["schemas"]["ResponsePlainText"] | components["schemas"]["ResponseJSONSchema"] | components["schemas"]["ResponseJSONObject"] | components["schemas"]["ResponseOtherFormat"];
        /** @description The probability of a token */
        ResponseTokenProbability: {
            /** @description The token in UTF-8 */
            bytes?: number[] | null;
            /**
             * Format: double
             * @description The logarithm of the probability
             */
            logprob: number;
            token: string;
            /** @description The most likely tokens at this position */
            top_logprobs?: components["schemas"]["ResponseAlternativeProbability"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A tool that the model may call. The caller runs functions, custom tools and local tools; the provider runs the others */
        ResponseTool: components["schemas"]["ResponseFunctionTool"] | components["schemas"]["ResponseCustomTool"] | components["schemas"]["ResponseNamespaceTool"] | components["schemas"]["ResponseWebSearchTool"] | components["schemas"]["ResponseWebSearchPreviewTool"] | components["schemas"]["ResponseFileSearchTool"] | components["schemas"]["ResponseCodeInterpreterTool"] | components["schemas"]["ResponseImageGenerationTool"] | components["schemas"]["ResponseMCPTool"] | components["schemas"]["ResponseComputerTool"] | components["schemas"]["ResponseComputerPreviewTool"] | components["schemas"]["ResponseShellTool"] | components["schemas"]["ResponseLocalShellTool"] | components["schemas"]["ResponseApplyPatchTool"] | components["schemas"]["ResponseToolSearchTool"] | components["schemas"]["ResponseProgrammaticTool"] | components["schemas"]["ResponseOtherTool"];
        /** @description Whether the model must call tools, and which: a mode, or an object that names tools */
        ResponseToolChoice: components["schemas"]["ResponseToolMode"] | components["schemas"]["ResponseToolSelection"];
        /** @description none: no tool. auto: the model decides. required: at least one tool */
        ResponseToolMode: ("none" | "auto" | "required" | (string & {}));
        /** @description A search for tools */
        ResponseToolSearchCall: {
            /** @description What is searched; any JSON */
            arguments: unknown;
            call_id?: string | null;
            created_by?: string | null;
            /** @description Who searches: the provider or the caller */
            execution?: ("server" | "client" | (string & {}) | null);
            id?: string | null;
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_search_call";
        } & {
            [key: string]: unknown;
        };
        /** @description The tools that a search found. The model can call them from here on */
        ResponseToolSearchOutput: {
            call_id?: string | null;
            created_by?: string | null;
            /** @description Who searched: the provider or the caller */
            execution?: ("server" | "client" | (string & {}) | null);
            id?: string | null;
            status?: ("in_progress" | "completed" | "incomplete" | (string & {}) | null);
            tools: components["schemas"]["ResponseTool"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_search_output";
        } & {
            [key: string]: unknown;
        };
        /** @description A search among the tools that the model does not see at first */
        ResponseToolSearchTool: {
            description?: string | null;
            /** @description Who searches: the provider or the caller */
            execution?: ("server" | "client" | (string & {}) | null);
            /** @description JSON schema of the arguments of a search by the caller */
            parameters?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_search";
        } & {
            [key: string]: unknown;
        };
        /** @description The tools that the model must or may call */
        ResponseToolSelection: components["schemas"]["ResponseChosenFunction"] | components["schemas"]["ResponseChosenCustomTool"] | components["schemas"]["ResponseAllowedTools"] | components["schemas"]["ResponseChosenMCP"] | components["schemas"]["ResponseChosenProvider"] | components["schemas"]["ResponseOtherSelection"];
        /** @description What the tools did that the provider ran */
        ResponseToolUsage: {
            /** @description Not a field of OpenAI */
            code_interpreter?: components["schemas"]["ToolSessions"];
            /** @description Not a field of OpenAI */
            file_search?: components["schemas"]["ToolRequests"];
            image_gen?: components["schemas"]["ResponseImageUsage"];
            web_search?: components["schemas"]["ToolRequests"];
        } & {
            [key: string]: unknown;
        };
        /** @description A web page */
        ResponseURLCitation: {
            /**
             * Format: int64
             * @description The end of the text that cites the page
             */
            end_index?: number | null;
            /**
             * Format: int64
             * @description The first character of the text that cites the page
             */
            start_index?: number | null;
            title?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "url_citation";
            url: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A result that this document does not name */
        ResponseUnnamedModeration: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
        } & {
            [key: string]: unknown;
        };
        /** @description The tokens of a response. The details are parts of the totals */
        ResponseUsage: {
            /** Format: int64 */
            input_tokens: number;
            input_tokens_details?: components["schemas"]["ResponseInputDetails"] | null;
            /** Format: int64 */
            output_tokens: number;
            output_tokens_details?: components["schemas"]["ResponseOutputDetails"] | null;
            /** @description The amount deducted in USD; only if the request has the header x-tollgate-include-quota, or the tenant has turned it on for all calls */
            quota?: string;
            /** Format: int64 */
            total_tokens: number;
        } & {
            [key: string]: unknown;
        };
        /** @description A step of a search of the web */
        ResponseWebAction: components["schemas"]["ResponseWebQuery"] | components["schemas"]["ResponseWebOpen"] | components["schemas"]["ResponseWebFind"] | components["schemas"]["ResponseOtherWebAction"];
        /** @description Searches in a page */
        ResponseWebFind: {
            pattern?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "find_in_page";
            url?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Opens a page */
        ResponseWebOpen: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "open_page";
            url?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Searches for pages */
        ResponseWebQuery: {
            queries?: string[] | null;
            /** @description Older form of queries */
            query?: string | null;
            /** @description The pages that were found; with include: web_search_call.action.sources */
            sources?: components["schemas"]["ResponseWebSource"][] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "search";
        } & {
            [key: string]: unknown;
        };
        /** @description A search of the web by the provider */
        ResponseWebSearchCall: {
            action?: components["schemas"]["ResponseWebAction"] | null;
            id?: string | null;
            status?: ("in_progress" | "searching" | "completed" | "incomplete" | "failed" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "web_search_call";
        } & {
            [key: string]: unknown;
        };
        /** @description A search of the web, older version */
        ResponseWebSearchPreviewTool: {
            search_content_types?: ("text" | "image" | (string & {}))[] | null;
            /** @description How much of the found pages the model reads */
            search_context_size?: ("low" | "medium" | "high" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "web_search_preview" | "web_search_preview_2025_03_11";
            user_location?: components["schemas"]["ResponseLocation"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A search of the web */
        ResponseWebSearchTool: {
            /** @description Whether the tool may load pages. Without it, it only uses what the provider has stored */
            external_web_access?: boolean | null;
            filters?: components["schemas"]["ResponseDomainRules"] | null;
            /** @description How much of the found pages the model reads */
            search_context_size?: ("low" | "medium" | "high" | (string & {}) | null);
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "web_search" | "web_search_2025_08_26";
            user_location?: components["schemas"]["ResponseLocation"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A page that was found */
        ResponseWebSource: {
            type: ("url" | (string & {}));
            url?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Options of a stream */
        StreamOptions: {
            /** @description Add random characters to chunks, so that their lengths reveal less about the text */
            include_obfuscation?: boolean;
            /** @description Send a last chunk with the usage and without choices */
            include_usage?: boolean;
        } & {
            [key: string]: unknown;
        };
        TokenBudget: {
            /** @description The most that the token may spend in the period, in USD; null: unlimited */
            granted: string | null;
            /** @description What is left, at least 0; null: unlimited */
            left: string | null;
            period: ("total" | "day" | "week" | "month" | (string & {}));
            /**
             * Format: date-time
             * @description When the next period begins; null: never
             */
            resets: string | null;
            /** @description Spent in the period */
            used: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A token with its log probability, and the tokens that were most likely at its place */
        TokenLogprob: {
            /** @description The bytes of the token in UTF-8 */
            bytes?: number[] | null;
            /**
             * Format: double
             * @description The natural logarithm of the probability
             */
            logprob: number;
            token: string;
            top_logprobs?: components["schemas"]["TopLogprob"][] | null;
        } & {
            [key: string]: unknown;
        };
        TokenUsage: {
            /** @description What the token may spend: in total, then in each period that has a budget, the shortest first. The quota of its user and tenant can be smaller, see the header x-tollgate-quota-remaining */
            budgets: components["schemas"]["TokenBudget"][];
            currency: ("usd" | (string & {}));
            /** @description What the token has used, by day and model, for the days of this page. Days without calls are left out */
            data: components["schemas"]["DayUsage"][];
            /**
             * @description First day of the range, in UTC
             * @example 2026-11-01
             */
            from: string;
            /** @description Whether the range has later days */
            has_more: boolean;
            /** @description The value of page for the following days; null if there are none */
            next_page: string | null;
            /** @enum {string} */
            object: "usage";
            /**
             * @description Last day of the range
             * @example 2026-11-30
             */
            to: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The calls of a tool */
        ToolRequests: {
            /** Format: int64 */
            num_requests: number;
        } & {
            [key: string]: unknown;
        };
        /** @description The sessions of a tool */
        ToolSessions: {
            /** Format: int64 */
            num_sessions: number;
        } & {
            [key: string]: unknown;
        };
        /** @description What the tools did that the provider ran. A tool that did nothing is absent */
        ToolUsage: {
            code_interpreter?: components["schemas"]["ToolSessions"];
            file_search?: components["schemas"]["ToolRequests"];
            image_gen?: components["schemas"]["ImageGenerations"];
            web_search?: components["schemas"]["ToolRequests"];
        } & {
            [key: string]: unknown;
        };
        /** @description A likely token with its log probability */
        TopLogprob: {
            /** @description The bytes of the token in UTF-8 */
            bytes?: number[] | null;
            /**
             * Format: double
             * @description The natural logarithm of the probability
             */
            logprob: number;
            token: string;
        } & {
            [key: string]: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createChatCompletion: {
        parameters: {
            query?: never;
            header?: {
                /** @description A value of your choice, such as a UUID, that makes the call safe to repeat. Within 24 hours, a call of the same token with the same key and body gets the first answer again and is charged once. While the gateway cannot reach its database, a call with a key gets 503. */
                "idempotency-key"?: string;
                /** @description `true` adds `quota`, the amount deducted in USD, to the usage object of the answer. A stream then has a usage object even if the request does not ask for one. `false` omits it if the tenant has turned it on for all calls. */
                "x-tollgate-include-quota"?: "true" | "false";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatCompletionRequest"];
            };
        };
        responses: {
            /** @description The completion: a JSON object, or a stream of events if `stream` is true */
            200: {
                headers: {
                    /** @description `true` if the answer is that of an earlier request with the same `Idempotency-Key`. Nothing was charged again */
                    "idempotent-replayed"?: string;
                    /** @description Milliseconds until the answer was ready, or until the stream began */
                    "openai-processing-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that answered */
                    "x-tollgate-channel"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The id of that earlier request; only present on a replayed answer */
                    "x-tollgate-original-request-id"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The amount deducted in USD; not present on streams */
                    "x-tollgate-quota"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatCompletion"];
                    "text/event-stream": components["schemas"]["ChatCompletionEvent"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body was not received in time */
            408: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The `Idempotency-Key` was used for another request, its first request is still being served, or the answer of that request was not kept or was lost */
            409: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The content type is not application/json, or the body is compressed */
            415: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createEmbedding: {
        parameters: {
            query?: never;
            header?: {
                /** @description A value of your choice, such as a UUID, that makes the call safe to repeat. Within 24 hours, a call of the same token with the same key and body gets the first answer again and is charged once. While the gateway cannot reach its database, a call with a key gets 503. */
                "idempotency-key"?: string;
                /** @description `true` adds `quota`, the amount deducted in USD, to the usage object of the answer. A stream then has a usage object even if the request does not ask for one. `false` omits it if the tenant has turned it on for all calls. */
                "x-tollgate-include-quota"?: "true" | "false";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmbeddingRequest"];
            };
        };
        responses: {
            /** @description The vectors, in the order of the inputs */
            200: {
                headers: {
                    /** @description `true` if the answer is that of an earlier request with the same `Idempotency-Key`. Nothing was charged again */
                    "idempotent-replayed"?: string;
                    /** @description Milliseconds until the answer was ready, or until the stream began */
                    "openai-processing-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that answered */
                    "x-tollgate-channel"?: string;
                    /** @description The id of that earlier request; only present on a replayed answer */
                    "x-tollgate-original-request-id"?: string;
                    /** @description The amount deducted in USD; not present on streams */
                    "x-tollgate-quota"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmbeddingList"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body was not received in time */
            408: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The `Idempotency-Key` was used for another request, its first request is still being served, or the answer of that request was not kept or was lost */
            409: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The content type is not application/json, or the body is compressed */
            415: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createMessage: {
        parameters: {
            query?: {
                /** @description Anthropic's SDKs send it with their beta interfaces. It changes nothing */
                beta?: boolean;
            };
            header?: {
                /**
                 * @description The version of Anthropic's API. A request with this header gets the fields of that API in addition to those of OpenAI's, and its errors
                 * @example 2023-06-01
                 */
                "anthropic-version"?: string;
                /** @description Features of Anthropic's API, separated by commas. The relay passes on those on its list, see the guide for Anthropic's clients */
                "anthropic-beta"?: string;
                /** @description A value of your choice, such as a UUID, that makes the call safe to repeat. Within 24 hours, a call of the same token with the same key and body gets the first answer again and is charged once. While the gateway cannot reach its database, a call with a key gets 503. */
                "idempotency-key"?: string;
                /** @description `true` adds `quota`, the amount deducted in USD, to the usage object of the answer. A stream then has a usage object even if the request does not ask for one. `false` omits it if the tenant has turned it on for all calls. */
                "x-tollgate-include-quota"?: "true" | "false";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageRequest"];
            };
        };
        responses: {
            /** @description The message: a JSON object, or a stream of events if `stream` is true */
            200: {
                headers: {
                    /** @description `true` if the answer is that of an earlier request with the same `Idempotency-Key`. Nothing was charged again */
                    "idempotent-replayed"?: string;
                    /** @description Milliseconds until the answer was ready, or until the stream began */
                    "openai-processing-ms"?: string;
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that answered */
                    "x-tollgate-channel"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The id of that earlier request; only present on a replayed answer */
                    "x-tollgate-original-request-id"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The amount deducted in USD; not present on streams */
                    "x-tollgate-quota"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                    "text/event-stream": components["schemas"]["MessageStreamEvent"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body was not received in time */
            408: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The `Idempotency-Key` was used for another request, its first request is still being served, or the answer of that request was not kept or was lost */
            409: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The content type is not application/json, or the body is compressed */
            415: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    countMessageTokens: {
        parameters: {
            query?: {
                /** @description Anthropic's SDKs send it with their beta interfaces. It changes nothing */
                beta?: boolean;
            };
            header?: {
                /**
                 * @description The version of Anthropic's API. A request with this header gets the fields of that API in addition to those of OpenAI's, and its errors
                 * @example 2023-06-01
                 */
                "anthropic-version"?: string;
                /** @description Features of Anthropic's API, separated by commas. The relay passes on those on its list, see the guide for Anthropic's clients */
                "anthropic-beta"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageCountRequest"];
            };
        };
        responses: {
            /** @description The number of tokens */
            200: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that counted the tokens; not present if the gateway did, whose number is an estimate */
                    "x-tollgate-channel"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageTokenCount"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body was not received in time */
            408: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The content type is not application/json, or the body is compressed */
            415: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The features in the request's header `anthropic-beta`, separated by commas, that the relay does not pass on */
                    "x-tollgate-left-out-betas"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: {
                /** @description The largest number of models of a page, from 1 to 1000; the default is 20. This and the following parameters are those of Anthropic's API and have no meaning without the header anthropic-version */
                limit?: number;
                /** @description The page begins after the model with this id */
                after_id?: string;
                /** @description The page ends before the model with this id */
                before_id?: string;
                /** @description Anthropic's SDKs send it with their beta interfaces. It changes nothing */
                beta?: boolean;
            };
            header?: {
                /**
                 * @description The version of Anthropic's API. A request with this header gets the fields of that API in addition to those of OpenAI's, and its errors
                 * @example 2023-06-01
                 */
                "anthropic-version"?: string;
                /** @description Features of Anthropic's API, separated by commas. The relay passes on those on its list, see the guide for Anthropic's clients */
                "anthropic-beta"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The models, ordered by id */
            200: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    retrieveModel: {
        parameters: {
            query?: {
                /** @description Anthropic's SDKs send it with their beta interfaces. It changes nothing */
                beta?: boolean;
            };
            header?: {
                /**
                 * @description The version of Anthropic's API. A request with this header gets the fields of that API in addition to those of OpenAI's, and its errors
                 * @example 2023-06-01
                 */
                "anthropic-version"?: string;
                /** @description Features of Anthropic's API, separated by commas. The relay passes on those on its list, see the guide for Anthropic's clients */
                "anthropic-beta"?: string;
            };
            path: {
                /** @description The id of the model */
                model: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model */
            200: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API */
                    "request-id"?: string;
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createResponse: {
        parameters: {
            query?: never;
            header?: {
                /** @description A value of your choice, such as a UUID, that makes the call safe to repeat. Within 24 hours, a call of the same token with the same key and body gets the first answer again and is charged once. While the gateway cannot reach its database, a call with a key gets 503. */
                "idempotency-key"?: string;
                /** @description `true` adds `quota`, the amount deducted in USD, to the usage object of the answer. A stream then has a usage object even if the request does not ask for one. `false` omits it if the tenant has turned it on for all calls. */
                "x-tollgate-include-quota"?: "true" | "false";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResponseRequest"];
            };
        };
        responses: {
            /** @description The response: a JSON object, or a stream of events if `stream` is true */
            200: {
                headers: {
                    /** @description `true` if the answer is that of an earlier request with the same `Idempotency-Key`. Nothing was charged again */
                    "idempotent-replayed"?: string;
                    /** @description Milliseconds until the answer was ready, or until the stream began */
                    "openai-processing-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that answered */
                    "x-tollgate-channel"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The id of that earlier request; only present on a replayed answer */
                    "x-tollgate-original-request-id"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The amount deducted in USD; not present on streams */
                    "x-tollgate-quota"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Response"];
                    "text/event-stream": components["schemas"]["ResponseStreamEvent"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body was not received in time */
            408: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The `Idempotency-Key` was used for another request, its first request is still being served, or the answer of that request was not kept or was lost */
            409: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The content type is not application/json, or the body is compressed */
            415: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The paths, separated by commas, of what the relay ignored of the request: fields that only restrict the answer or give a hint and that the channel's API does not have, and optional tools of a provider that no channel has. A plus sign and a number at the end count further ones */
                    "x-tollgate-ignored-fields"?: string;
                    /** @description The most calls of tools that the provider runs, if the relay sent this limit because the request has none and a tool has a price */
                    "x-tollgate-max-tool-calls"?: string;
                    /** @description The most output tokens of each choice, if the relay sent the upstream an output cap because the quota pays for no more */
                    "x-tollgate-output-cap"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    /** @description The name of the ordinary service tier, if the relay asked the upstream for it because the request leaves the tier to the provider and the model has no price for those that it can choose */
                    "x-tollgate-service-tier"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    compactResponse: {
        parameters: {
            query?: never;
            header?: {
                /** @description A value of your choice, such as a UUID, that makes the call safe to repeat. Within 24 hours, a call of the same token with the same key and body gets the first answer again and is charged once. While the gateway cannot reach its database, a call with a key gets 503. */
                "idempotency-key"?: string;
                /** @description `true` adds `quota`, the amount deducted in USD, to the usage object of the answer. A stream then has a usage object even if the request does not ask for one. `false` omits it if the tenant has turned it on for all calls. */
                "x-tollgate-include-quota"?: "true" | "false";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompactRequest"];
            };
        };
        responses: {
            /** @description The compacted conversation */
            200: {
                headers: {
                    /** @description `true` if the answer is that of an earlier request with the same `Idempotency-Key`. Nothing was charged again */
                    "idempotent-replayed"?: string;
                    /** @description Milliseconds until the answer was ready, or until the stream began */
                    "openai-processing-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that answered */
                    "x-tollgate-channel"?: string;
                    /** @description The id of that earlier request; only present on a replayed answer */
                    "x-tollgate-original-request-id"?: string;
                    /** @description The amount deducted in USD; not present on streams */
                    "x-tollgate-quota"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompactedResponse"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body was not received in time */
            408: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The `Idempotency-Key` was used for another request, its first request is still being served, or the answer of that request was not kept or was lost */
            409: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The content type is not application/json, or the body is compressed */
            415: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    countResponseInputTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InputTokenCountRequest"];
            };
        };
        responses: {
            /** @description The number of tokens */
            200: {
                headers: {
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that counted the tokens; not present if the gateway did, whose number is an estimate */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputTokenCount"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body was not received in time */
            408: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The content type is not application/json, or the body is compressed */
            415: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    retrieveResponse: {
        parameters: {
            query?: {
                /** @description Additional data to include in the answer */
                include?: ("file_search_call.results" | "web_search_call.results" | "web_search_call.action.sources" | "message.input_image.image_url" | "computer_call_output.output.image_url" | "code_interpreter_call.outputs" | "reasoning.encrypted_content" | "message.output_text.logprobs" | (string & {}))[];
                /** @description `true` returns the events of the response as a stream. A channel decides whether it has the stream of a response that it stores */
                stream?: boolean;
                /** @description Of a stream: the sequence number of an event; the stream begins after it */
                starting_after?: number;
                /** @description Of a stream: `false` leaves out the random characters that hide the lengths of texts. It has no effect on responses that the gateway stores */
                include_obfuscation?: boolean;
            };
            header?: never;
            path: {
                /** @description The id that createResponse returned */
                response_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of the operation */
            200: {
                headers: {
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that stores the response; not present if the gateway stores it */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Response"];
                    "text/event-stream": components["schemas"]["ResponseStreamEvent"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    deleteResponse: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id that createResponse returned */
                response_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of the operation */
            200: {
                headers: {
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that stores the response; not present if the gateway stores it */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedResponse"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    cancelResponse: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id that createResponse returned */
                response_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of the operation */
            200: {
                headers: {
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that stores the response; not present if the gateway stores it */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Response"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listResponseInputItems: {
        parameters: {
            query?: {
                /** @description Additional data to include in the answer */
                include?: ("file_search_call.results" | "web_search_call.results" | "web_search_call.action.sources" | "message.input_image.image_url" | "computer_call_output.output.image_url" | "code_interpreter_call.outputs" | "reasoning.encrypted_content" | "message.output_text.logprobs" | (string & {}))[];
                /** @description The id of an item; the page begins after it */
                after?: string;
                /** @description The largest number of items to return, from 1 to 100. The default is 20 */
                limit?: number;
                /** @description `asc` for oldest first, `desc` for newest first. The default is `desc` */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                /** @description The id that createResponse returned */
                response_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of the operation */
            200: {
                headers: {
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The channel that stores the response; not present if the gateway stores it */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseItemList"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The model is unknown, disabled or not permitted for the token, or the response is unknown */
            404: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request body is too large */
            413: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream failed */
            502: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upstream did not answer in time */
            504: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /**
                 * @description First day, as YYYY-MM-DD in UTC. The default is 29 days before `to`
                 * @example 2026-11-01
                 */
                from?: string;
                /** @description Last day, at most 365 days after `from`. The default is today */
                to?: string;
                /** @description The largest number of days of a page, from 1 to 31. The default is 31 */
                limit?: number;
                /** @description `next_page` of the page before */
                page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The budgets and the usage */
            200: {
                headers: {
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenUsage"];
                };
            };
            /** @description The body is not valid JSON, a field is missing or has the wrong type, or no channel supports a requested feature; `param` names the field */
            400: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing, malformed, unknown, revoked or expired */
            401: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The client's address is not on the token's allowlist */
            403: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The quota is used up or reserved by requests in flight, or a rate limit is reached */
            429: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description Requests per minute of the tightest limit. The rate limit headers are only present if a limit applies */
                    "x-ratelimit-limit-requests"?: string;
                    /** @description Tokens per minute of the tightest limit */
                    "x-ratelimit-limit-tokens"?: string;
                    /** @description Requests that can be sent at once */
                    "x-ratelimit-remaining-requests"?: string;
                    /** @description Tokens that can be used at once */
                    "x-ratelimit-remaining-tokens"?: string;
                    /** @description Time until the full number of requests is available again, such as `1s` or `6m0s` */
                    "x-ratelimit-reset-requests"?: string;
                    /** @description Time until the full number of tokens is available again, such as `20ms` */
                    "x-ratelimit-reset-tokens"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An internal error of the gateway */
            500: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The channel that answered, if the relay could not record the call and therefore withheld the answer */
                    "x-tollgate-channel"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No channel is available, or the gateway is overloaded */
            503: {
                headers: {
                    /** @description Seconds to wait before a retry, if known */
                    "retry-after"?: string;
                    /** @description Milliseconds to wait before a retry, if known */
                    "retry-after-ms"?: string;
                    /** @description The id of the request and of its usage log */
                    "x-request-id"?: string;
                    /** @description `true` if the same request may succeed later */
                    "x-should-retry"?: string;
                    /** @description The quota in USD that the token could still spend, as far as the relay knows; not present if it does not know yet, or for an invalid token */
                    "x-tollgate-quota-remaining"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
}
