/** A name and a value, as JSON has them. */
export type Members = Readonly<Record<string, unknown>>;

/** The headers with both credentials of a user. */
export type Credentials = Readonly<Record<string, string>>;

/** What the calls of a job took. */
export interface Spent {
  readonly calls: number;
  /** The characters of all answers, which a model has to read. */
  readonly characters: number;
}

/** Answers of all tools and queries: a script that reads them wrongly gives a wrong answer, which is what is measured. */
// biome-ignore lint/suspicious/noExplicitAny: no type describes the answers of all tools
export type Data = any;

/** An agent that calls tools, and counts what that takes. */
export interface Agent {
  /**
   * Calls a tool.
   *
   * @returns the answer's JSON
   * @throws Error with the text of the answer if the tool has failed
   */
  call(tool: string, given?: Members): Promise<Data>;
  readonly spent: Spent;
}

const send = async (
  url: string,
  path: string,
  body: unknown,
  credentials: Credentials,
): Promise<Data> => {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...credentials,
    },
    body: JSON.stringify(body),
  });
  return response.json();
};

/** An agent of one user, with the tools at a gateway. */
export const createAgent = (url: string, credentials: Credentials): Agent => {
  let calls = 0;
  let characters = 0;
  return {
    get spent() {
      return { calls, characters };
    },
    call: async (name, given = {}) => {
      calls += 1;
      const params = { name, arguments: given };
      const message = { jsonrpc: '2.0', id: calls, method: 'tools/call', params };
      const { result, error } = await send(url, '/mcp', message, credentials);
      if (error) throw new Error(`${name}: ${error.message}`);
      const [{ text }] = result.content;
      characters += text.length;
      if (result.isError) throw new Error(`${name}: ${text}`);
      return JSON.parse(text);
    },
  };
};

/**
 * Asks the same user's question by GraphQL.
 *
 * @throws Error if a part of the answer is missing
 */
export const ask = async (url: string, credentials: Credentials, query: string) => {
  const { data, errors } = await send(url, '/graphql', { query }, credentials);
  if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  return data;
};

/** The texts of all tools, by name. */
export const toolsAt = async (url: string, credentials: Credentials) => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const { result } = await send(url, '/mcp', message, credentials);
  const list: readonly { readonly name: string; readonly description: string }[] = result.tools;
  return new Map(list.map(({ name, description }) => [name, description]));
};
