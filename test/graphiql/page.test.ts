import { describe, expect, it } from 'vitest';
import { readTabs } from '../../src/graphiql/start.ts';
import { startGateway } from '../support/gateway.ts';
import { startOf } from '../support/graphiql-gateway.ts';
import { sendSized } from '../support/http/requests.ts';

const headers = { accept: 'text/html,application/xhtml+xml' };
const scriptTag = /<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi;

const load = async (url: string, more: Readonly<Record<string, string>> = {}) => {
  const answer = await sendSized(url, { headers: { ...headers, ...more } });
  const policy = answer.headers.get('content-security-policy');
  const text = await answer.text();
  const scripts = [...text.matchAll(scriptTag)].map(([, tag = '', body = '']) => ({ tag, body }));
  return { policy, scripts, text };
};

const variables = {
  organizationId: '# "</script><!-- <script>" in a comment',
  serviceId: '</script>',
  pipeId: '<!-- <script>',
  dashboardId: "'\\n",
};

describe('the page of GraphiQL', () => {
  it.each([
    ['as it is', {}],
    ['as the demo shows it', { headers: { authorization: 'Basic x' }, variables }],
  ])('runs scripts of its own origin alone, %s', async (_, graphiqlStart) => {
    const { url } = await startGateway({}, { graphiqlStart });
    const { policy, scripts, text } = await load(url);
    expect(policy?.split('; ')).toEqual([
      ...["default-src 'none'", "script-src 'self'", "worker-src 'self'"],
      ...["style-src 'self' 'unsafe-inline'", "connect-src 'self'", "img-src 'self' data:"],
      ...['font-src data:', "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ]);
    const [inside, ...linked] = scripts.toSorted((a, b) => b.body.length - a.body.length);
    expect(inside?.tag).toBe(' type="application/json" id="start"');
    for (const { tag, body } of linked)
      expect(tag + body).toMatch(/^ src="graphql\/graphiql\/[\w./-]+" defer$/);
    // Every tag was found: none is hidden in what another one holds.
    expect(text.match(/<script/gi)).toHaveLength(scripts.length);
    expect(text).not.toContain('<!--');
    // It has no handler and no link that its policy would stop.
    const markup = text.replaceAll(scriptTag, '');
    expect(markup).not.toMatch(/<[a-z][^>]*\son[a-z]+\s*=|javascript:/i);
  });

  it('gives GraphiQL the texts of its tabs as they are', async () => {
    const { url } = await startGateway({}, { graphiqlStart: { variables } });
    const { defaultHeaders, defaultTabs } = startOf((await load(url)).text).options;
    const tabs = await readTabs(variables);
    expect(defaultTabs).toEqual(tabs.map((tab) => ({ ...tab, headers: defaultHeaders })));
    const shown = defaultTabs.map((tab) => JSON.parse(tab.variables ?? '{}'));
    expect(Object.assign({}, ...shown)).toEqual(variables);
  });

  it('takes nothing from the request', async () => {
    const { url } = await startGateway();
    const usual = await load(url);
    const script = '</script><script>alert(1)</script>';
    for (const name of ['query', 'variables', 'headers', 'operationName', 'nonce'])
      expect(await load(`${url}?${new URLSearchParams({ [name]: script })}`)).toEqual(usual);
    const given = { nonce: 'mine', 'x-request-id': 'mine', host: 'elsewhere' };
    expect(await load(url, given)).toEqual(usual);
  });
});
