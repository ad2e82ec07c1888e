import { request } from 'undici';
import { describeConnectionFailure } from '../connection-failures.ts';
import { codeOf, connectTo, type Proxies, proxyCause } from './sending/egress.ts';

/** Whether an upstream answers at all, with an explanation for people. */
interface Reached {
  readonly reachable: boolean;
  readonly finding: string;
}

interface ReachOptions {
  readonly proxies: Proxies | undefined;
  /** The limit for the connection, and again for the head of the answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const describeFailure = (code: string, { protocol }: URL): string => {
  const cause = proxyCause(code);
  if (cause === undefined) return describeConnectionFailure(code, protocol);
  if (cause === '407') return 'the proxy asks for another user or password';
  if (/^\d/.test(cause)) return 'the proxy answers, and does not connect to it';
  return `this is the proxy: ${describeConnectionFailure(cause, 'https:')}`;
};

/** What to look at if the answer may not come from the upstream. */
const adviceFor = (status: number, { protocol }: URL, proxies: Proxies | undefined): string => {
  if (status >= 300 && status < 400) {
    return ': a redirect, which is never followed; see whether the URL is right';
  }
  if (protocol !== 'http:') return '';
  // nginx answers with 400 if it gets http at a port for TLS.
  if (status === 400) return '; the URL may need https, not http';
  return proxies && (status === 403 || status >= 500) ? '; it may be the proxy that answers' : '';
};

/** Sends one GET without a credential, and follows no redirect. Any HTTP answer counts as reachable. */
export const reach = async (
  baseUrl: URL,
  { proxies, timeoutMs, signal }: ReachOptions,
): Promise<Reached> => {
  const limits = { connections: 1, connectTimeout: timeoutMs, headersTimeout: timeoutMs };
  const dispatcher = connectTo(baseUrl.origin, limits, proxies);
  try {
    const { statusCode, body } = await request(baseUrl, { dispatcher, signal: signal ?? null });
    // The body is not needed, and ending it early is no failure.
    body.on('error', () => undefined).destroy();
    const advice = adviceFor(statusCode, baseUrl, proxies);
    return { reachable: true, finding: `answers, with status ${statusCode}${advice}` };
  } catch (error) {
    const code = codeOf(error) ?? 'unknown error';
    const finding = `cannot be reached: ${describeFailure(code, baseUrl)} (${code})`;
    return { reachable: false, finding };
  } finally {
    await dispatcher.destroy();
  }
};
