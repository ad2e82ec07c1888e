import { Agent, request } from 'undici';

/** Whether an upstream answers at all, with a finding for people to read. */
interface Reached {
  readonly reachable: boolean;
  readonly finding: string;
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closes the connection; check whether the URL needs http or https',
  UND_ERR_SOCKET: 'it closes the connection; check whether the URL needs http or https',
  ENOTFOUND: 'DNS does not know this name',
  EAI_AGAIN: 'DNS does not answer',
  EHOSTUNREACH: 'no route leads there',
  ENETUNREACH: 'no route leads there',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'connected, but no answer in time',
  CERT_HAS_EXPIRED: 'TLS: its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: its certificate is for another name',
  EPROTO: 'TLS: the handshake fails; check whether the URL needs http or https',
};

const describeFailure = (code: string): string => {
  if (/CERT|SIGNED|SIGNATURE|ISSUER/.test(code) && words[code] === undefined) {
    return 'TLS: its certificate is not trusted';
  }
  if (code.startsWith('ERR_SSL_')) {
    return 'TLS: the handshake fails; check whether the URL needs http or https';
  }
  if (code.startsWith('HPE_')) return 'it answers with something that is not HTTP';
  return words[code] ?? 'no connection';
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error';

/**
 * Sends one GET without a credential, and follows no redirect. Any HTTP answer counts as reachable.
 *
 * @param timeoutMs the limit for the connection, and again for the head of the answer
 * @param signal aborts the request
 */
export const reach = async (
  baseUrl: URL,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Reached> => {
  const dispatcher = new Agent({ connectTimeout: timeoutMs, headersTimeout: timeoutMs });
  try {
    const { statusCode, body } = await request(baseUrl, { dispatcher, signal: signal ?? null });
    // The body is not wanted, and destroying it is no failure.
    body.on('error', () => undefined).destroy();
    const redirect = statusCode >= 300 && statusCode < 400;
    const advice = redirect
      ? ': a redirect, which is never followed; see whether the URL is right'
      : '';
    return { reachable: true, finding: `answers, with status ${statusCode}${advice}` };
  } catch (error) {
    const code = codeOf(error);
    return { reachable: false, finding: `cannot be reached: ${describeFailure(code)} (${code})` };
  } finally {
    await dispatcher.destroy();
  }
};
