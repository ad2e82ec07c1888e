import { expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import type { GatewayPlugin } from '../../src/plugins/plugin.ts';
import { startGateway } from '../support/gateway.ts';

const fail = (): never => {
  throw new RangeError('secret-canary');
};

/** A plugin that fails in one of its hooks. */
const plugins: Readonly<Record<string, GatewayPlugin>> = {
  onRequest: { onRequest: fail },
  onRequestParse: { onRequestParse: fail },
  onParams: { onParams: fail },
  onParse: { onParse: fail },
  onValidate: { onValidate: fail },
  onContextBuilding: { onContextBuilding: fail },
  onExecute: { onExecute: fail },
  onExecutionResult: { onExecutionResult: fail },
  onResultProcess: { onResultProcess: fail },
  onResponse: { onResponse: fail },
};

const accepts = ['application/json', 'application/graphql-response+json', 'text/event-stream'];

it.each(Object.entries(plugins))(
  'an error thrown in %s is answered in the form of GraphQL, and told in the log alone',
  async (_, plugin) => {
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
      expect(lines.join('')).toContain('"kind":"RangeError"');
      expect(text + lines.join('')).not.toContain('canary');
      expect(text).not.toMatch(/node_modules|\bat /);
    }
  },
);
