import { type ClientRequest, request } from 'node:http';

/** What a caller got before the connection ended, whole or not. */
type Received = {
  readonly status: number | undefined;
  readonly length: number;
  readonly text: string;
  readonly complete: boolean;
};

/** Sends a GET as it is; `answer` comes once the response has ended in any way. */
export const get = (
  url: string,
  path: string,
  authorization: string,
): { readonly sent: ClientRequest; readonly answer: Promise<Received> } => {
  const sent = request(url, { path, headers: { authorization }, agent: false });
  const answer = new Promise<Received>((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        // The error of a response that is cut off; `complete` below says so.
        .on('error', () => undefined)
        .on('close', () =>
          resolve({
            status: response.statusCode,
            length: Number(response.headers['content-length']),
            text: Buffer.concat(chunks).toString('utf8'),
            complete: response.complete,
          }),
        );
    });
  });
  sent.end();
  return { sent, answer };
};
