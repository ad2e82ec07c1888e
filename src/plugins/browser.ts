import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { membersOf } from '../negotiation.ts';
import { corsHeaders, mcpHeaders } from './cors-headers.ts';
import type { GatewayPlugin } from './plugin.ts';

/** The headers of every response. GraphiQL's page has others, since it runs scripts. */
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** CORS allows these methods without a permission, or with the permission below. */
const methods: readonly (string | undefined)[] = ['GET', 'POST', 'HEAD'];

/** Why a browser does not send a request after its preflight. */
interface PreflightRefusal {
  readonly setting?: 'CORS_ORIGINS' | 'CORS_HEADERS';
  readonly message: string;
}

const unlistedOrigin = (origin: string): PreflightRefusal => ({
  setting: 'CORS_ORIGINS',
  message: `Pages of ${origin} may not read answers: the setting CORS_ORIGINS does not list this origin.`,
});

const refusalOf = (
  asked: IncomingHttpHeaders,
  allowed: ReadonlySet<string>,
): PreflightRefusal | undefined => {
  const method = asked['access-control-request-method'];
  if (method !== undefined && !methods.includes(method)) {
    return { message: `Pages of other origins may send GET and POST, not ${method}.` };
  }
  const names = membersOf(asked['access-control-request-headers']).filter(
    (name) => !allowed.has(name),
  );
  return names.length === 0
    ? undefined
    : {
        setting: 'CORS_HEADERS',
        message: `Pages of other origins may not send ${names.join(', ')}: add it to the setting CORS_HEADERS.`,
      };
};

/**
 * Makes browsers give a response only to pages that may read it: pages of the gateway's own origin, or of a listed
 * origin (CORS). Yoga's `cors` is not used: it accepts preflights of every origin, and omits `vary` for requests
 * without an origin. Pages set credentials as headers, so `access-control-allow-credentials`, which is about cookies,
 * is never sent.
 *
 * Requests of tools are left to `createRest`, which refuses pages.
 *
 * The headers are set on Node's response, so that every response has them, whichever code sends it.
 */
export const useBrowserSafety = (
  {
    corsOrigins,
    corsHeaders: moreHeaders,
    mcp,
  }: Pick<Config, 'corsOrigins' | 'corsHeaders' | 'mcp'>,
  log: Pick<Log, 'warn'>,
  isOfTool: (req: IncomingMessage) => boolean = () => false,
): GatewayPlugin => {
  const origins = new Set(corsOrigins);
  const allowed = new Set([...corsHeaders, ...(mcp === 'off' ? [] : mcpHeaders), ...moreHeaders]);
  const permission = {
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': [...allowed].join(', '),
    'access-control-max-age': '600',
  };
  const text = { 'content-type': 'text/plain; charset=utf-8' };
  return {
    onRequest: ({ serverContext: { req, res }, endResponse, fetchAPI }) => {
      for (const [name, value] of Object.entries(securityHeaders)) res.setHeader(name, value);
      if (origins.size > 0) res.setHeader('vary', 'origin');
      const { method, headers } = req;
      const { origin } = headers;
      if (origin === undefined || isOfTool(req)) return;
      const isListed = origins.has(origin);
      if (isListed) {
        res.setHeader('access-control-allow-origin', origin);
        res.setHeader('access-control-expose-headers', 'age, x-request-id');
      }
      if (method !== 'OPTIONS') return;
      const refusal = isListed ? refusalOf(headers, allowed) : unlistedOrigin(origin);
      if (!refusal) {
        endResponse(new fetchAPI.Response(null, { status: 204, headers: permission }));
        return;
      }
      const finding = refusal.message.slice(0, 500);
      log.warn({ setting: refusal.setting, finding }, 'refused a preflight');
      // Browsers report the missing header only if the preflight's response is a success.
      const status = isListed ? 200 : 403;
      const sent = { ...text, ...(isListed && permission) };
      endResponse(new fetchAPI.Response(`${refusal.message}\n`, { status, headers: sent }));
    },
    onResponse: ({ response }) => {
      // Yoga would let caches store an event stream if they revalidate it.
      if (response.headers.get('cache-control') === 'no-cache') {
        response.headers.set('cache-control', securityHeaders['cache-control']);
      }
    },
  };
};
