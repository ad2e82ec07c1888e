import { describe, expect, it } from 'vitest';
import { credentials, get, open, organization } from '../support/sandbox/harness.ts';

const { management: keys, observability: tokens } = credentials.failing;

const alerts = '/api/v2/alerts';

describe('a credential whose answers are cut off', () => {
  it('ends the connection after half of the true body, on both interfaces', async () => {
    const { sandbox, management, observability } = await open();
    const list = await observability('GET', alerts);
    const half = await get(sandbox.observabilityUrl, alerts, tokens.cut.header).answer;
    const bytes = Buffer.from(list.text);
    expect(half).toEqual({
      status: 200,
      length: bytes.length,
      text: bytes.subarray(0, bytes.length / 2).toString('utf8'),
      complete: false,
    });
    const record = await management('GET', organization);
    const other = await get(sandbox.managementUrl, organization, keys.cut.header).answer;
    const { length } = Buffer.from(record.text);
    expect(other).toMatchObject({ status: 200, length, complete: false });
    expect(other.text).toHaveLength(Math.floor(length / 2));
    expect(other.text).toMatch(/^\{"status":200,"requestId":"/);
  });

  it('carries a write out all the same', async () => {
    const { management } = await open();
    const cut = management('PATCH', organization, { name: 'Changed' }, keys.cut.header);
    await expect(cut).rejects.toThrow();
    expect((await management('GET', organization)).body.result).toMatchObject({ name: 'Changed' });
  });
});
