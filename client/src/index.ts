export {
  type Answer,
  type Arguments,
  type Client,
  type ClientOptions,
  createClient,
  type RequestOptions,
} from './client.ts';
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
