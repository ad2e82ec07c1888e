import { Agent, request } from 'undici';

/** Whether an upstream answers at all, in the words of a line. */
interface Reached {
  readonly reachable: boolean;
  readonly finding: string;
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closes the connection; is it http where https is meant, or the other way round?',
  UND_ERR_SOCKET:
    'it closes the connection; is it http where https is meant, or the other way round?',
  ENOTFOUND: 'DNS does not know this name',
  EAI_AGAIN: 'DNS does not answer',
  EHOSTUNREACH: 'no route leads there',
  ENETUNREACH: 'no route leads there',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'connected, but no answer in time',
  CERT_HAS_EXPIRED: 'TLS: its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: its certificate is for another name',
  EPROTO: 'TLS: it speaks something else',
};

const describeFailure = (code: string): string => {
  if (/CERT|SIGNED|SIGNATURE|ISSUER/.test(code) && words[code] === undefined) {
    return 'TLS: its certificate is not trusted';
  }
  if (code.startsWith('ERR_SSL_')) return 'TLS: it speaks something else';
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
 * @param timeoutMs for the connection, and once more for the head of the answer
 * @param signal gives it up
 */
export const reach = async (
  baseUrl: URL,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Reached> => {
  const dispatcher = new Agent({ connectTimeout: timeoutMs, headersTimeout: timeoutMs });
  try {
    const { statusCode, body } = await request(baseUrl, { dispatcher, signal: signal ?? null });
    // Nothing of the body is wanted, and destroying it is no failure.
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
