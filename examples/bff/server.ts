import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { proxy } from 'hono/proxy';
import { secureHeaders } from 'hono/secure-headers';
import { sealData, unsealData } from 'iron-session';

const { GATEWAY = 'http://127.0.0.1:4000', PORT = '5180', SESSION_SECRET = '' } = process.env;
/** Where users open the page. */
const { ORIGIN = `http://localhost:${PORT}` } = process.env;
/** The page: what `VITE_LOGIN=cookie npm run build` has made of the console. */
const { PAGE = fileURLToPath(new URL('../console/dist', import.meta.url)) } = process.env;
if (SESSION_SECRET.length < 32) throw new Error('SESSION_SECRET needs at least 32 characters');

/** The user's keys, as the gateway takes them. The cookie holds them encrypted; they are not stored here. */
interface Session {
  readonly id: string;
  readonly management?: string | undefined;
  readonly observability?: string | undefined;
}

const hours = 8;
const seal = { password: SESSION_SECRET, ttl: hours * 3600 };
// Pages of other sites cannot send the cookie, sub-domains cannot set it (`__Host-`), and scripts cannot read it. Browsers
// take a secure cookie on localhost, too.
const attributes = { path: '/', httpOnly: true, sameSite: 'Strict', secure: true } as const;
const cookie = { prefix: 'host', ...attributes } as const;
/** Bytes. A browser drops a cookie above 4 KB, and the encrypted keys are twice as long as the given ones. */
const maxSize = 1536;
/** What the gateway gets of a request besides the keys: nothing else that identifies the user. */
const passedOn = 'accept cache-control content-type sluice-explain traceparent x-request-id';

/** For each session in use: aborted once its user has signed out. Several servers need a common store for this. */
const endings = new Map<string, AbortController>();

const endingOf = (id: string): AbortController => {
  const ending = endings.get(id) ?? new AbortController();
  if (!endings.has(id)) setTimeout(() => endings.delete(id), hours * 3_600_000).unref();
  endings.set(id, ending);
  return ending;
};

/** Empty without a session, and for one that has ended or was not made here. */
const sessionOf = async (c: Context): Promise<Partial<Session>> => {
  const session = await unsealData<Partial<Session>>(getCookie(c, 'session', 'host') ?? '', seal);
  return session.id !== undefined && endingOf(session.id).signal.aborted ? {} : session;
};

const textIn = (body: unknown, name: string): string => {
  const value: unknown = Object(body)[name];
  return typeof value === 'string' ? value : '';
};

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

const app = new Hono();
app.use(
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  }),
);
// No page of another origin changes anything here: browsers name the origin of each request that is not a GET.
app.use(async (c, next) => {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  return isRead || c.req.header('origin') === ORIGIN ? next() : c.body(null, 403);
});
// The log gets no text of an error, which could quote a key.
app.onError((error, c) => {
  if ('getResponse' in error) return error.getResponse();
  process.stderr.write(`${c.req.method} ${c.req.path}: ${error.name}\n`);
  return c.body(null, 502);
});

/** Which credentials the user has given: never the credentials themselves. */
app.get('/session', async (c) => {
  const { management, observability } = await sessionOf(c);
  return c.json({ management: Boolean(management), observability: Boolean(observability) });
});

// A login of your own checks a password here, and takes the user's keys from your store.
app.post('/session', bodyLimit({ maxSize }), async (c) => {
  const given: unknown = await c.req.json().catch(() => undefined);
  const token = textIn(given, 'token');
  const [id, secret] = [textIn(given, 'keyId'), textIn(given, 'keySecret')];
  if ((!(id && secret) && !token) || /[^!-~]/.test(token)) return c.body(null, 400);
  const session: Session = {
    id: randomUUID(),
    management: id && secret ? basic(id, secret) : undefined,
    observability: token ? `Bearer ${token}` : undefined,
  };
  setCookie(c, 'session', await sealData(session, seal), cookie);
  return c.body(null, 204);
});

app.delete('/session', async (c) => {
  const { id } = await sessionOf(c);
  if (id !== undefined) endingOf(id).abort('The user has signed out.');
  deleteCookie(c, 'session', cookie);
  return c.body(null, 204);
});

app.post('/graphql', async (c) => {
  const { id, management, observability } = await sessionOf(c);
  if (id === undefined) return c.body(null, 401);
  const headers = Object.fromEntries(passedOn.split(' ').map((name) => [name, c.req.header(name)]));
  return proxy(`${GATEWAY}/graphql`, {
    raw: c.req.raw,
    // Signing out ends the session's streams, too.
    signal: AbortSignal.any([c.req.raw.signal, endingOf(id).signal]),
    headers: {
      ...headers,
      'management-authorization': management,
      'observability-authorization': observability,
    },
  });
});

const files = serveStatic({ root: PAGE });
// Names that begin with a dot are for the server.
app.get('*', (c, next) => (c.req.path.includes('/.') ? next() : files(c, next)));

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) => {
  process.stdout.write(`The console is on http://localhost:${port}\n`);
});
