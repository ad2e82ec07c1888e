import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { credentialsOf, host, port } from './environment.ts';
import { answers } from './limit-answers.ts';
import { createReader } from './limit-reader.ts';

/**
 * LIMIT: what a careful person writes by hand for these four operations and for nothing else. No
 * GraphQL, fields picked one by one, and a request's equal reads made once.
 */

interface GraphQLRequest {
  readonly operationName: string;
  readonly variables: Readonly<Record<string, string>>;
}

const send = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
};

const handle = async (request: IncomingMessage, response: ServerResponse, text: string) => {
  try {
    const { operationName, variables }: GraphQLRequest = JSON.parse(text);
    const answer = answers.get(operationName);
    if (!answer) {
      send(response, 400, '{"errors":[{"message":"unknown operation"}]}');
      return;
    }
    const credentials = credentialsOf((name) => request.headers[name]);
    const data = await answer(createReader(credentials), variables);
    send(response, 200, JSON.stringify({ data }));
  } catch {
    send(response, 502, '{"errors":[{"message":"an upstream failed"}]}');
  }
};

const server = createServer((request, response) => {
  if (request.method !== 'POST' || request.url !== '/graphql') {
    send(response, 404, '{"errors":[{"message":"not found"}]}');
    return;
  }
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    void handle(request, response, text);
  });
});

server.listen(port(), host);
