import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';
import {
  asJson,
  createFolder,
  hashOf,
  manifestOf,
  read,
  write,
} from '../support/http/operations.ts';
import { answered, listen, run, sendAlerts } from '../support/process/run-main.ts';

const { folder, fileOf } = createFolder();
const known = hashOf(read);
const file = fileOf(JSON.stringify(manifestOf(read, write)));

describe('the configuration is refused in one sentence', () => {
  const faultsOf = (env: Readonly<Record<string, string>>): readonly string[] => {
    try {
      readConfig({
        MANAGEMENT_URL: 'http://127.0.0.1:1',
        OBSERVABILITY_URL: 'http://127.0.0.1:1',
        PERSISTED_OPERATIONS: 'only',
        ...env,
      });
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
    return [];
  };

  const expectOneSentence = (env: Readonly<Record<string, string>>, variable: string): void => {
    expect(faultsOf(env)).toEqual([
      expect.stringMatching(new RegExp(`^${variable} [^\\n]{10,400}$`)),
    ]);
  };

  const wrong: readonly (readonly [name: string, content: string])[] = [
    ['empty', ''],
    ['not JSON', '{"'],
    ['JSON with a comma too many', `{"${known}": ${JSON.stringify(read)},}`],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', JSON.stringify(read)],
    ['with the hash of another text', JSON.stringify({ [hashOf('other')]: read })],
    ['with another prefix', JSON.stringify({ [`sha1:${known}`]: read })],
    ['with a hash in upper case', JSON.stringify({ [known.toUpperCase()]: read })],
    ['with a name in place of a hash', JSON.stringify({ Names: read })],
    ['with __proto__ for a hash', `{"__proto__": ${JSON.stringify(read)}}`],
    ['with a number for a text', JSON.stringify({ ...manifestOf(write), [known]: 7 })],
    ['with an object for a text', JSON.stringify({ [known]: { query: read } })],
    ['with null for a text', JSON.stringify({ [known]: null })],
  ];
  it.each(wrong)('with a manifest %s', (_, content) => {
    expectOneSentence({ PERSISTED_OPERATIONS_FILE: fileOf(content) }, 'PERSISTED_OPERATIONS_FILE');
  });

  it.each([
    ['that is not there', join(folder, 'missing.json')],
    ['that is a folder', folder],
    ['that nobody named', ''],
  ])('with a manifest %s', (_, name) => {
    expectOneSentence({ PERSISTED_OPERATIONS_FILE: name }, 'PERSISTED_OPERATIONS_FILE');
  });

  it('with PERSISTED_OPERATIONS=allow either', () => {
    expectOneSentence(
      { PERSISTED_OPERATIONS: 'allow', PERSISTED_OPERATIONS_FILE: fileOf('{"') },
      'PERSISTED_OPERATIONS_FILE',
    );
  });

  it('with a mode that there is not', () => {
    expectOneSentence(
      { PERSISTED_OPERATIONS: 'on', PERSISTED_OPERATIONS_FILE: file },
      'PERSISTED_OPERATIONS',
    );
  });
});

it.each([
  ['hashes', file],
  ['hashes with a prefix', fileOf(JSON.stringify({ [`sha256:${known}`]: read }))],
])('is configured by the environment, with a manifest of %s', async (_, manifest) => {
  const backend = await listen(sendAlerts);
  const gateway = run({
    MANAGEMENT_URL: backend.url,
    OBSERVABILITY_URL: backend.url,
    PORT: '0',
    PERSISTED_OPERATIONS: 'only',
    PERSISTED_OPERATIONS_FILE: manifest,
  });
  const { host, port, path } = await gateway.logged('listening');
  const ask = async (body: Readonly<Record<string, unknown>>) => {
    const answer = await fetch(`http://${host}:${port}${path}`, {
      method: 'POST',
      headers: asJson,
      body: JSON.stringify(body),
    });
    return answer.json();
  };
  expect(await ask({ documentId: known })).toEqual(answered);
  expect(await ask({ documentId: `sha256:${known}` })).toEqual(answered);
  expect((await ask({ query: read })).errors[0].extensions.code).toBe(
    'PERSISTED_OPERATION_REQUIRED',
  );
});
