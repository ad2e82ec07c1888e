import { describe, expect, it } from 'vitest';
import { readTabs } from '../../src/graphiql/start.ts';
import { startGateway } from '../support/gateway.ts';
import { startOf } from '../support/graphiql-gateway.ts';
import { sendSized } from '../support/http/requests.ts';

const page = { headers: { accept: 'text/html,application/xhtml+xml' } };

describe('the page of GraphiQL', () => {
  const scriptTag = /<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi;

  const load = async (url: string | URL) => {
    const answer = await sendSized(url, page);
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
    const text = await answer.text();
    const scripts = [...text.matchAll(scriptTag)].map(([, attributes = '', body = '']) => ({
      attributes,
      body,
    }));
    return { policy, scripts, text };
  };

  const variables = {
    organizationId: '# "</script><!-- <script>" in a comment',
    serviceId: '</script>',
    pipeId: '<!-- <script>',
    dashboardId: "'\\n",
  };
  const starts = [
    ['as it is', {}],
    [
      'as the demo shows it',
      { graphiqlStart: { headers: { authorization: 'Basic x' }, variables } },
    ],
  ] as const;

  describe.each(starts)('%s', (_, options) => {
    it('runs scripts of its own origin alone, and none that stands in it', async () => {
      const { url } = await startGateway({}, options);
      const { policy, scripts, text } = await load(url);
      expect(policy.get('script-src')).toEqual(["'self'"]);
      expect(policy.get('worker-src')).toEqual(["'self'"]);
      const inside = scripts.filter(({ body }) => body !== '');
      expect(inside.map(({ attributes }) => attributes)).toEqual([
        ' type="application/json" id="start"',
      ]);
      for (const { attributes } of scripts.filter(({ body }) => body === '')) {
        expect(attributes).toMatch(/^ src="graphql\/graphiql\/[\w./-]+" defer$/);
      }
      // Every tag was found: none is hidden in what another one holds.
      expect(text.match(/<script/gi)).toHaveLength(scripts.length);
      expect(text).not.toContain('<!--');
    });
  });

  it('gives GraphiQL the texts of its tabs as they are', async () => {
    const { url } = await startGateway({}, { graphiqlStart: { variables } });
    const { defaultHeaders: headers, defaultTabs } = startOf((await load(url)).text).options;
    const tabs = await readTabs(variables);
    expect(defaultTabs).toEqual(tabs.map((tab) => ({ ...tab, headers })));
    const shown = defaultTabs.map((tab) => JSON.parse(tab.variables ?? '{}'));
    expect(Object.assign({}, ...shown)).toEqual(variables);
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
        expect(`${name} ${source}`).not.toMatch(/ (\*|https?:.*|blob:|'unsafe-eval')$/);
        if (name !== 'style-src') expect(source).not.toBe("'unsafe-inline'");
        if (name === 'script-src') expect(source).not.toBe('data:');
      }
    }
  });

  it('has no handler and no link that its policy would stop', async () => {
    const { url } = await startGateway();
    const markup = (await load(url)).text.replaceAll(scriptTag, '');
    expect(markup).not.toMatch(/<[a-z][^>]*\son[a-z]+\s*=|javascript:/i);
  });

  it('takes nothing from the request', async () => {
    const { url } = await startGateway();
    const { text: usual, policy } = await load(url);
    const script = '</script><script>alert(1)</script>';
    for (const name of ['query', 'variables', 'headers', 'operationName', 'nonce']) {
      const asked = await load(`${url}?${new URLSearchParams({ [name]: script })}`);
      expect([name, asked.text, asked.policy]).toEqual([name, usual, policy]);
    }
    const headers = { ...page.headers, nonce: 'mine', 'x-request-id': 'mine', host: 'elsewhere' };
    expect(await (await sendSized(url, { headers })).text()).toBe(usual);
  });

  it('can be switched off', async () => {
    const { url } = await startGateway({ GRAPHIQL: 'off' });
    const answer = await sendSized(url, page);
    expect(await answer.text()).not.toContain('<script');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
