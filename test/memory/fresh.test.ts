import { expect, it, onTestFinished } from 'vitest';
import { profiles, rows } from '../operations/table.ts';
import { data, result, stackInTest } from '../support/harness.ts';
import { textOf } from '../support/operations.ts';
import { holdTime } from '../support/pacing/time.ts';

/** For how many seconds the answer to each read is fresh. */
const freshFor: Readonly<Record<string, number>> = {
  '/v1/organizations': 10,
  '/v1/organizations/{}': 10,
  '/v1/organizations/{}/activities': 30,
  '/v1/organizations/{}/creditBalances': 60,
  '/v1/organizations/{}/invitations': 30,
  '/v1/organizations/{}/keys': 30,
  '/v1/organizations/{}/members': 30,
  '/v1/organizations/{}/notifications': 30,
  '/v1/organizations/{}/quotas': 30,
  '/v1/organizations/{}/services': 5,
  '/v1/organizations/{}/services/{}': 5,
  '/v1/organizations/{}/services/{}/backupConfiguration': 30,
  '/v1/organizations/{}/services/{}/backups': 60,
  '/v1/organizations/{}/services/{}/clickpipesCdcScaling': 30,
  '/v1/organizations/{}/services/{}/scalingSchedule': 5,
  '/v1/organizations/{}/services/{}/upgradeWindow': 60,
  '/v1/organizations/{}/services/{}/clickpipesReversePrivateEndpoints': 10,
  '/v1/organizations/{}/services/{}/pipes': 3,
  '/v1/organizations/{}/services/{}/pipes/{}': 3,
  '/v1/organizations/{}/usageCost': 600,
  '/v1/whoami': 30,
  '/api/v2/alerts': 3,
  '/api/v2/alerts/{}': 3,
  '/api/v2/dashboards': 5,
  '/api/v2/dashboards/{}': 5,
  '/api/v2/saved-searches': 30,
  '/api/v2/sources': 30,
  '/api/v2/webhooks': 30,
};

/** The path of a read without its identifiers and its query. */
const readOf = (line: string): string =>
  line.replace(/^GET ([^?]+).*/, '$1').replaceAll(/(?<=s\/)(?!v\d\/)[^/]+/g, '{}');

/** Each read, with a query that makes it. */
const queries = new Map(
  Object.entries(rows).flatMap(([name, row]) =>
    row.data && row.profile !== 'clickstack-cloud' && textOf(name).startsWith('query')
      ? row.calls.map(([line]) => [readOf(line), { name, row }] as const)
      : [],
  ),
);

it('the table has every read of the table of operations', () => {
  expect([...queries.keys()].sort()).toEqual(Object.keys(freshFor).sort());
});

it.each(Object.entries(freshFor))('%s is fresh for %i seconds', async (path, seconds) => {
  const { name, row } = queries.get(path) ?? {};
  if (!name || !row) throw new Error('no operation reads it');
  const time = holdTime();
  onTestFinished(time.release);
  const answerTo = (call: { method: string; path: string }) =>
    row.calls.find(([line]) => line === `${call.method} ${call.path}`)?.[1];
  const stack = await stackInTest({
    management: (call) => result(answerTo(call)),
    observability: (call) => data(answerTo(call)),
    config: { readCacheBytes: 64 * 1024 * 1024, ...(row.profile && profiles[row.profile]) },
  });
  const reads = [];
  for (const passed of [0, seconds - 0.1, 0.2]) {
    time.pass(passed);
    await stack.query(textOf(name), { variables: row.variables });
    reads.push(stack.callList().some((line) => readOf(line) === path));
    stack.calls.length = 0;
  }
  expect(reads).toEqual([true, false, true]);
});
