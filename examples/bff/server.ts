import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { csrf } from 'hono/csrf';
import { proxy } from 'hono/proxy';
import { secureHeaders } from 'hono/secure-headers';
import { sealData, unsealData } from 'iron-session';

const { GATEWAY = 'http://127.0.0.1:4000', PORT = '5180', SESSION_SECRET = '' } = process.env;
/** The page: what `VITE_LOGIN=cookie npm run build` has made of the console. */
const { PAGE = fileURLToPath(new URL('../console/dist', import.meta.url)) } = process.env;
if (SESSION_SECRET.length < 32) throw new Error('SESSION_SECRET needs at least 32 characters');

/** The user's keys, as the gateway takes them. The cookie holds them encrypted; nothing is stored here. */
interface Session {
  readonly management?: string | undefined;
  readonly observability?: string | undefined;
}

const seal = { password: SESSION_SECRET, ttl: 8 * 3600 };
// Pages of other sites cannot send the cookie, sub-domains cannot set it (`__Host-`), and scripts cannot read it. Browsers
// take a secure cookie on localhost, too.
const attributes = { path: '/', httpOnly: true, sameSite: 'Strict', secure: true } as const;
const cookie = { prefix: 'host', ...attributes } as const;
/** Bytes. A browser drops a cookie above 4 KB, and the encrypted keys are twice as long as the given ones. */
const maxSize = 1536;
/** What the gateway gets of a request besides the keys: nothing else that identifies the user. */
const passedOn = 'accept cache-control content-type sluice-explain traceparent x-request-id';

/** Empty without a session, and for one that has ended or was not made here. */
const sessionOf = (c: Context): Promise<Partial<Session>> =>
  unsealData<Session>(getCookie(c, 'session', 'host') ?? '', seal);

const textIn = (body: unknown, name: string): string => {
  const value: unknown = Object(body)[name];
  return typeof value === 'string' ? value : '';
};

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

const app = new Hono();
app.use(secureHeaders(), csrf());
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

// A login of your own checks a password here, and takes the user's keys from your store. A page of another site cannot send
// JSON without asking first (CORS), and nobody answers it.
app.post('/session', bodyLimit({ maxSize }), async (c) => {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) return c.body(null, 415);
  const given: unknown = await c.req.json().catch(() => undefined);
  const token = textIn(given, 'token');
  const [id, secret] = [textIn(given, 'keyId'), textIn(given, 'keySecret')];
  if ((!(id && secret) && !token) || /[^!-~]/.test(token)) return c.body(null, 400);
  const session: Session = {
    management: id && secret ? basic(id, secret) : undefined,
    observability: token ? `Bearer ${token}` : undefined,
  };
  setCookie(c, 'session', await sealData(session, seal), cookie);
  return c.body(null, 204);
});

app.delete('/session', (c) => {
  deleteCookie(c, 'session', cookie);
  return c.body(null, 204);
});

app.post('/graphql', async (c) => {
  const { management, observability } = await sessionOf(c);
  if (!management && !observability) return c.body(null, 401);
  const headers = Object.fromEntries(passedOn.split(' ').map((name) => [name, c.req.header(name)]));
  return proxy(`${GATEWAY}/graphql`, {
    raw: c.req.raw,
    headers: {
      ...headers,
      'management-authorization': management,
      'observability-authorization': observability,
    },
  });
});

app.use(serveStatic({ root: PAGE }));

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) => {
  process.stdout.write(`The console is on http://localhost:${port}\n`);
});
