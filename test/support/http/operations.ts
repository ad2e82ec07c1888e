import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { credentials, data, result, type Stack, startStack } from '../harness.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';

export const read = 'query Names { alerts { name } }';
export const write = `mutation Scale { updateServiceScaling(input: {
  organizationId: "${organizationId}", serviceId: "${serviceId}", numReplicas: 2
}) { service { numReplicas } } }`;

/** The answers of both operations, each with its only call. */
export const reading = { data: { alerts: [{ name: 'lag' }] }, call: 'GET /api/v2/alerts' };
export const writing = {
  data: { updateServiceScaling: { service: { numReplicas: 2 } } },
  call: `PATCH /v1/organizations/${organizationId}/services/${serviceId}/scaling`,
};

/** The headers of a valid request for both operations. */
export const asJson = { ...credentials, 'content-type': 'application/json' };

/** A stack that answers both operations. */
export const startOperations = (
  config: NonNullable<Parameters<typeof startStack>[0]['config']> = {},
): Promise<Stack> =>
  startStack({
    management: () => result({ id: serviceId, numReplicas: 2 }),
    observability: () => data([{ id: 'a1', name: 'lag' }]),
    config,
  });

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The content of a manifest with these texts. */
export const manifestOf = (...texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(texts.map((text) => [hashOf(text), text]));

/** A folder that exists until the tests of a file end. */
export const createFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-persisted-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  return {
    folder,
    /** The path of a new file with this content. */
    fileOf: (content: string): string => {
      files += 1;
      const file = join(folder, `${files}.json`);
      writeFileSync(file, content);
      return file;
    },
  };
};
