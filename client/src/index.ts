export type { Answer, Extensions, Progress } from './answer.ts';
export { type Client, createClient, type Subscription } from './client.ts';
export { basic, bearer, type Credential, type CredentialValue } from './credentials.ts';
export { type ResultOf, TypedDocumentString, type VariablesOf } from './document.ts';
export {
  type ClientErrorCode,
  type GatewayErrorCode,
  SluiceError,
  type SluiceErrorCode,
  type SluiceErrorDetails,
  type SluiceProblem,
} from './error.ts';
export type { Arguments, ClientOptions, RequestOptions, SubscribeOptions } from './options.ts';
