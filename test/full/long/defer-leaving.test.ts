import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startStack } from '../../support/harness.ts';
import { askInParts, events, multipart } from '../../support/in-parts.ts';
import { until } from '../../support/process/run-main.ts';
import { createRandom } from '../../support/random/random.ts';
import { createBackend } from '../../support/world/backend.ts';
import { withIds } from '../../support/world/ids.ts';
import { numbers, worldOf } from '../../support/world/worlds.ts';

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => process.on('unhandledRejection', note));
afterAll(() => process.off('unhandledRejection', note));

const turns = async (count: number): Promise<void> => {
  for (let done = 0; done < count; done += 1) await turn();
};

const page = withIds(
  '{ organization(id: "organization-1") { name services { name ... @defer { pipes { name } backupConfiguration { __typename } } } } }',
);

it.each([1, 2])(
  '200 callers who leave at random moments have what was sent finished, and nothing more sent (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const backend = createBackend(
      worldOf({
        organizations: 1,
        services: 6,
        pipesPerService: 1,
        dashboards: 0,
        tilesPerDashboard: 0,
        alerts: 0,
      }),
    );
    const answered = new Set<object>();
    const stack = await startStack({
      ...backend,
      management: async (call) => {
        await turns(random.below(40));
        answered.add(call);
        return backend.management(call);
      },
      config: { operationTimeoutMs: 600_000 },
    });
    onTestFinished(() => stack.close());
    const headersOf = (name: string) => ({ 'management-authorization': `Basic ${btoa(name)}` });

    const leave = async (index: number): Promise<void> => {
      const caller = askInParts(stack, page, {
        accept: random.chance(50) ? multipart : events,
        headers: { ...headersOf(`leaver-${index}`), 'x-request-id': `leaver-${index}` },
      });
      if (random.chance(50)) await until(() => caller.parts.length > 0);
      await turns(random.below(80));
      caller.leave();
      await caller.ended;
    };
    const stay = async (index: number): Promise<void> => {
      const headers = headersOf(`stayer-${index}`);
      const parts = await askInParts(stack, page, { headers }).ended;
      expect(parts.at(-1)?.hasNext).toBe(false);
      expect(parts.flatMap(({ incremental = [] }) => incremental)).toHaveLength(6);
      expect(JSON.stringify(parts)).not.toContain('"errors"');
    };
    for (const batch of numbers(10)) {
      await Promise.all(
        numbers(20).flatMap((number) => [
          leave(batch * 100 + number),
          ...(number % 5 === 0 ? [stay(batch * 100 + number)] : []),
        ]),
      );
    }

    await until(() => stack.calls.every((call) => answered.has(call)));
    const { length } = stack.calls;
    await stay(0);
    expect(stack.calls).toHaveLength(length + 14);
    // Some left before all of their page was asked for.
    expect(length).toBeLessThan(240 * 14 - 5);
    expect(unhandled).toEqual([]);
    expect(stack.complaints()).toBe('');
    const lines = stack
      .log()
      .split('\n')
      .filter((line) => line.includes('"requestId":"leaver'));
    expect(new Set(lines.map((line) => JSON.parse(line).requestId)).size).toBe(lines.length);
    expect(lines.length).toBeGreaterThan(50);
  },
);
