import { Pool } from 'undici';

/** Every server of the benchmark gets these variables, which the gateway also reads. */
export const backendUrl = process.env.MANAGEMENT_URL ?? '';
export const listen = { port: Number(process.env.PORT), host: '127.0.0.1' };

/** Reads a path, or changes it; returns the answer without its envelope. Exists for one request. */
export type Read = <Result>(path: string, change?: object) => Promise<Result>;

/** A GET, or with a body a PATCH; returns the decoded answer. Rejects for any status except 2xx. */
export type Call = (path: string, authorization: string, body?: string) => Promise<unknown>;

/** Adds the request's credential for the interface of a path. */
export const createRead =
  (headerOf: (name: string) => unknown, call: Call): Read =>
  async <Result>(path: string, change?: object): Promise<Result> => {
    const isManagement = path.startsWith('/v1/');
    const name = isManagement ? 'management-authorization' : 'observability-authorization';
    const authorization = headerOf(name);
    if (typeof authorization !== 'string') throw new Error('no credential');
    const answer = await call(path, authorization, change && JSON.stringify(change));
    // The answers are not validated, since they come from our own backend.
    return isManagement ? (answer as { result: Result }).result : (answer as { data: Result }).data;
  };

export const headersOf = (authorization: string) => ({
  authorization,
  accept: 'application/json',
  'content-type': 'application/json',
});

/** With undici. Without a limit, the parallel reads of Q3 and Q4 would open hundreds of sockets. */
export const createUndiciCall = (): Call => {
  const pool = new Pool(backendUrl, { connections: 64 });
  return async (path, authorization, body) => {
    const method = body === undefined ? 'GET' : 'PATCH';
    const headers = headersOf(authorization);
    const answer = await pool.request({ method, path, headers, body: body ?? null });
    if (answer.statusCode === 200) return answer.body.json();
    await answer.body.dump();
    throw new Error(`the upstream answered ${answer.statusCode}`);
  };
};
