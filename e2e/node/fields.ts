// The types of OpenAI's published SDK that the relay's OpenAPI document is compared with. The package openai-types is the newest
// release of openai. Its code needs Node.js 22, so the tests that call a relay use an older release.
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionCreateParams } from 'openai-types/resources/chat/completions';
import type { CreateEmbeddingResponse, EmbeddingCreateParams } from 'openai-types/resources/embeddings';
import type { Model } from 'openai-types/resources/models';
import type { InputItemListParams, ResponseItemList } from 'openai-types/resources/responses/input-items';
import type { InputTokenCountParams, InputTokenCountResponse } from 'openai-types/resources/responses/input-tokens';
import type {
  CompactedResponse, Response, ResponseCompactParams, ResponseCreateParams, ResponseRetrieveParams, ResponseStreamEvent,
} from 'openai-types/resources/responses/responses';

export interface Roots {
  'chat request': ChatCompletionCreateParams;
  'chat answer': ChatCompletion;
  'chat event': ChatCompletionChunk;
  model: Model;
  'response request': ResponseCreateParams;
  'response answer': Response;
  'response event': ResponseStreamEvent;
  'retrieve query': ResponseRetrieveParams;
  'items query': InputItemListParams;
  'items answer': ResponseItemList;
  'count request': InputTokenCountParams;
  'count answer': InputTokenCountResponse;
  'compact request': ResponseCompactParams;
  'compact answer': CompactedResponse;
  'embedding request': EmbeddingCreateParams;
  'embedding answer': CreateEmbeddingResponse;
}
