import { readdirSync, readFileSync } from 'node:fs';
import { parse, print, separateOperations } from 'graphql';
import { credentials } from '../support/harness.ts';

export type Members = Readonly<Record<string, unknown>>;
export type Headers = Readonly<Record<string, string>>;

const json = { 'content-type': 'application/json' };

/** Sends a message of an agent; `''` removes a header. */
export const send = async (url: string, message: unknown, headers: Headers = {}) => {
  const given = Object.entries({ ...json, ...headers }).filter(([, value]) => value !== '');
  const response = await fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: Object.fromEntries(given),
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  const body: any = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
};

/** A request of an old revision. */
export const request = (method: string, params?: Members) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
});

/** Calls a tool, by default with both credentials. */
export const call = async (url: string, name: string, given: Members = {}, headers?: Headers) => {
  const message = request('tools/call', { name, arguments: given });
  const { body } = await send(url, message, { ...credentials, ...headers });
  const { content, isError = false, _meta } = body.result;
  return { text: String(content[0].text), isError, meta: _meta };
};

const folder = new URL('../../operations/agents/', import.meta.url);

/** The text of each operation of operations/agents/, by its name. */
export const operations: Readonly<Record<string, string>> = Object.assign(
  {},
  ...readdirSync(folder).map((file) => {
    const separate = separateOperations(parse(readFileSync(new URL(file, folder), 'utf8')));
    return Object.fromEntries(Object.entries(separate).map(([name, node]) => [name, print(node)]));
  }),
);
