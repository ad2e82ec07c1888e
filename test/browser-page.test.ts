import { describe, expect, it } from 'vitest';
import { startGateway } from './http-gateway.ts';
import { shortWay } from './http-ways.ts';

const page = { headers: { accept: 'text/html,application/xhtml+xml' } };

describe('the page of GraphiQL', () => {
  const scriptTag = /<script\b([^>]*)>[\s\S]*?<\/script\s*>/gi;
  const nonceIn = (attributes: string): string | undefined =>
    /\snonce="([^"]*)"/i.exec(attributes)?.[1];

  const load = async (url: string | URL) => {
    const answer = await shortWay(url, page);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html\b/);
    const policies = answer.headers.get('content-security-policy') ?? '';
    // Two policies in one header would be separated by a comma, and no source of ours has any.
    expect(policies).not.toContain(',');
    const policy = new Map(
      policies.split(';').map((directive) => {
        const [name = '', ...sources] = directive.trim().split(/\s+/);
        return [name.toLowerCase(), sources] as const;
      }),
    );
    const scripts = policy.get('script-src') ?? [];
    const nonces = scripts.flatMap((source) => /^'nonce-(.+)'$/.exec(source)?.[1] ?? []);
    const text = await answer.text();
    const tags = [...text.matchAll(scriptTag)].map(([, attributes = '']) => attributes);
    return { policy, scripts, nonces, tags, text };
  };

  const tabs = ['{ organizations { name } }', '# "<script>" in a comment\n{ alerts { name } }'];
  const starts = [
    ['as it is', {}],
    ['as the demo shows it', { graphiqlStart: { headers: { authorization: 'Basic x' }, tabs } }],
  ] as const;

  describe.each(starts)('%s', (_, options) => {
    it('runs scripts that carry the nonce of this load, and no others', async () => {
      const { url } = await startGateway({}, options);
      const { scripts, nonces, tags } = await load(url);
      expect(nonces).toHaveLength(1);
      // 128 bits, in Base64 or hexadecimal.
      expect(nonces[0]).toMatch(/^[A-Za-z0-9+/_-]{22,}={0,2}$/);
      expect(tags.length).toBeGreaterThan(0);
      for (const attributes of tags) expect(nonceIn(attributes)).toBe(nonces[0]);
      for (const source of ["'unsafe-inline'", "'unsafe-eval'", '*', 'data:', 'https:', 'http:']) {
        expect(scripts).not.toContain(source);
      }
    });

    it('has another nonce at every load', async () => {
      const { url } = await startGateway({}, options);
      const nonces = new Set<string | undefined>();
      for (let count = 0; count < 5; count += 1) nonces.add((await load(url)).nonces[0]);
      expect(nonces.size).toBe(5);
    });
  });

  it('connects to the gateway alone, and is shown in no frame', async () => {
    const { url } = await startGateway();
    const { policy } = await load(url);
    expect(policy.get('connect-src')).toEqual(["'self'"]);
    expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
    expect(policy.get('default-src')).toEqual(["'none'"]);
    for (const name of ['base-uri', 'form-action']) {
      expect([["'none'"], ["'self'"]]).toContainEqual(policy.get(name));
    }
    for (const [name, sources] of policy) {
      for (const source of sources) {
        expect(`${name} ${source}`).not.toMatch(/ (\*|https?:.*)$/);
      }
    }
  });

  it('has no handler and no link that its policy would stop', async () => {
    const { url } = await startGateway();
    const markup = (await load(url)).text.replaceAll(scriptTag, '');
    expect(markup).not.toMatch(/<[a-z][^>]*\son[a-z]+\s*=|javascript:/i);
  });

  it('takes no script from the URL', async () => {
    const { url } = await startGateway();
    const script = '</script><script>alert(1)</script>';
    for (const name of ['query', 'variables', 'headers', 'operationName', 'nonce']) {
      const { text } = await load(`${url}?${new URLSearchParams({ [name]: script })}`);
      expect(text).not.toContain('alert(1)');
    }
  });

  it('takes no nonce from the request', async () => {
    const { url } = await startGateway();
    const sending = {
      headers: { ...page.headers, nonce: 'mine', 'x-nonce': 'mine', 'x-request-id': 'mine' },
    };
    const answer = await shortWay(url, sending);
    expect(answer.headers.get('content-security-policy')).not.toContain('mine');
  });

  it('can be switched off', async () => {
    const { url } = await startGateway({ GRAPHIQL: 'off' });
    const answer = await shortWay(url, page);
    expect(await answer.text()).not.toContain('<script');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
