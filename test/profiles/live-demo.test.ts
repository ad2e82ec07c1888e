import { expect, it } from 'vitest';
import { printedBy, startDemo } from '../support/process/demo.ts';

it('the demo in the live profile says so, keeps the limits of the services, and answers', async () => {
  const printed = await printedBy(startDemo(['--profile', 'live'], {}));
  const found = (line: RegExp): string => line.exec(printed)?.[1] ?? '';
  expect(printed).toContain(
    'profile         live (ClickHouse Cloud and HyperDX, as of August 2026)',
  );
  expect(printed).toMatch(/^ {2}limits +10 requests in 10 s for each key/m);
  const answer = await fetch(found(/GraphiQL +(\S+)/), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'management-authorization': found(/Management-Authorization: (\S+ \S+)/),
      'observability-authorization': found(/Observability-Authorization: (\S+ \S+)/),
    },
    body: found(/-d '(.*)'$/m),
  });
  const { data, errors } = await answer.json();
  expect(errors).toBeUndefined();
  expect(data.organizations[0].pipes.items.length).toBeGreaterThan(2);
  expect(data.alerts.length).toBeGreaterThan(1);
});
