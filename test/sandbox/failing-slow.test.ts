import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { credentials, get, open, organization } from '../support/sandbox/harness.ts';

const { management: keys, observability: tokens } = credentials.failing;

const { admin } = credentials.management;
const { main } = credentials.observability;

const alerts = '/api/v2/alerts';

describe('a credential whose answers are slow', () => {
  /** Nothing here may use fetch, which would set faked timers too; Node's own sockets know others. */
  const openFaked = async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    return open();
  };

  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  const timers = async (count: number): Promise<void> => {
    while (vi.getTimerCount() !== count) await turn();
  };

  it.each([
    ['management', 'managementUrl', organization, keys.slow.header, admin.header],
    ['observability', 'observabilityUrl', alerts, tokens.slow.header, main.header],
  ] as const)(
    'gets the right answer from %s after five seconds',
    async (_, url, path, slow, other) => {
      const { sandbox } = await openFaked();
      const { answer } = get(sandbox[url], path, slow);
      const settled = vi.fn();
      void answer.then(settled, settled);
      await timers(1);
      vi.advanceTimersByTime(4999);
      // Others are answered meanwhile; what had been written before would have come before this.
      const { text } = await get(sandbox[url], path, other).answer;
      expect(settled).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      const withoutRequestId = (body: string) => body.replace(/"requestId":"[^"]*",/, '');
      const late = await answer;
      expect([late.status, late.complete]).toEqual([200, true]);
      expect(withoutRequestId(late.text)).toBe(withoutRequestId(text));
    },
  );

  it('leaves nothing waiting when the caller hangs up, or when the sandbox closes', async () => {
    const { sandbox } = await openFaked();
    const one = get(sandbox.managementUrl, organization, keys.slow.header);
    const other = get(sandbox.observabilityUrl, alerts, tokens.slow.header);
    const cut = Promise.all([
      expect(one.answer).rejects.toThrow(),
      expect(other.answer).rejects.toThrow(),
    ]);
    await timers(2);
    one.sent.destroy();
    await timers(1);
    await sandbox.close();
    await timers(0);
    await cut;
  });
});
