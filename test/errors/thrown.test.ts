import { expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import type { GatewayPlugin } from '../../src/plugins/plugin.ts';
import { startGateway } from '../support/gateway.ts';

const fail = (): never => {
  throw new RangeError('secret-canary');
};

const hooks = `onRequest onRequestParse onParams onParse onValidate onContextBuilding onExecute
  onExecutionResult onResultProcess onResponse`;
const accepts = ['application/json', 'application/graphql-response+json', 'text/event-stream'];

it.each(hooks.split(/\s+/))(
  'an error thrown in %s is answered in the form of GraphQL, and told in the log alone',
  async (hook) => {
    const plugin: GatewayPlugin = { [hook]: fail };
    const lines: string[] = [];
    const { url } = await startGateway(
      {},
      { log: createLog({ write: (line) => void lines.push(line) }), plugins: [plugin] },
    );
    for (const accept of accepts) {
      lines.length = 0;
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept },
        body: '{"query":"{ __typename }"}',
      });
      const text = await answer.text();
      const [json = ''] = /\{"errors":.*\}/.exec(text) ?? [];
      expect(JSON.parse(json).errors).toMatchObject([
        { message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
      ]);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const told = lines.find((line) => line.includes('"kind":"RangeError"'));
      expect(told).toContain(`"requestId":"${answer.headers.get('x-request-id')}"`);
      expect(text + lines.join('')).not.toContain('canary');
      expect(text).not.toMatch(/node_modules|\bat /);
    }
  },
);
