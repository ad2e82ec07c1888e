import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { type Context, Hono } from 'hono';
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
// Pages of other sites cannot send the cookie, and scripts cannot read it. Browsers take a secure cookie on localhost, too.
const cookie = { path: '/', httpOnly: true, sameSite: 'Strict', secure: true } as const;

/** Empty without a session, and for one that has ended or was not made here. */
const sessionOf = (c: Context): Promise<Partial<Session>> =>
  unsealData<Session>(getCookie(c, 'session') ?? '', seal);

const textIn = (body: unknown, name: string): string => {
  const value: unknown = Object(body)[name];
  return typeof value === 'string' ? value : '';
};

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

const app = new Hono();
app.use(secureHeaders(), csrf());

/** Which credentials the user has given: never the credentials themselves. */
app.get('/session', async (c) => {
  const { management, observability } = await sessionOf(c);
  return c.json({ management: Boolean(management), observability: Boolean(observability) });
});

// A login of your own checks a password here, and takes the user's keys from your store. A page of another site cannot send
// JSON without asking first (CORS), and nobody answers it.
app.post('/session', async (c) => {
  if (!c.req.header('content-type')?.startsWith('application/json')) return c.body(null, 415);
  const given: unknown = await c.req.json().catch(() => undefined);
  const [id, secret, token] = ['keyId', 'keySecret', 'token'].map((name) => textIn(given, name));
  if (!(id && secret) && !token) return c.body(null, 400);
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

app.all('/graphql', async (c) => {
  const { management, observability } = await sessionOf(c);
  if (!management && !observability) return c.body(null, 401);
  return proxy(`${GATEWAY}/graphql${new URL(c.req.url).search}`, {
    ...c.req,
    headers: {
      ...c.req.header(),
      // The gateway gets the keys, and nothing else that identifies the user.
      ...{ cookie: undefined, authorization: undefined, host: undefined, origin: undefined },
      'management-authorization': management,
      'observability-authorization': observability,
    },
  });
});

app.use(serveStatic({ root: PAGE }));

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) => {
  process.stdout.write(`The console is on http://localhost:${port}\n`);
});
