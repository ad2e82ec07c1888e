import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeInBrowser, openPage } from '../../support/browser/chromium.ts';
import { right, row, shows } from '../../support/browser/console-page.ts';
import { run, until } from '../../support/process/run-main.ts';

const { scripts } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { readonly scripts: Readonly<Record<string, string>> };

/** Nothing but what npm has to say of its own settings. */
const fromNpm = /^(npm .*\n)*$/;

const [client, documents, start = ''] = scripts.console?.split(' && ') ?? [];
const node = [process.execPath, 'examples/console/start.ts'] as const;

describeInBrowser('npm run console', () => {
  it('starts the console on the sandbox, filled in, and ends with Ctrl-C', async () => {
    // These two write what other tests read at this moment, and `npm test` has run them.
    expect(client).toBe('npm run build -w client');
    expect(documents).toBe('node examples/run.ts generate console');
    const started = run({ PORT: '0' }, ['npm', 'exec', '--call', start]);
    const { output } = started;
    const address = () => /http:\/\/127\.0\.0\.1:\d+\//.exec(output.text)?.[0];
    let ended = false;
    void started.ended.then(() => {
      ended = true;
    });
    await until(() => address() !== undefined || ended);
    expect(output).toEqual({
      text: expect.stringContaining('The console is on '),
      errors: expect.stringMatching(fromNpm),
    });

    const { page, complaints, elsewhere } = await openPage(address() ?? '');
    const signIn = page.getByRole('button', { name: 'Sign in' });
    await signIn.waitFor();
    expect(await page.getByLabel('Key id').inputValue()).toBe(right.keyId);
    await signIn.click();
    await shows(row(page, 'clickstream'), 'Running');
    await shows(row(page, 'API latency'), 'Above 800 for 15 minutes');
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });

    started.signalGroup('SIGINT');
    expect(await started.ended).toMatchObject({ errors: expect.stringMatching(fromNpm) });
  });

  it('ends with SIGTERM to npm alone, which does not pass it on', async () => {
    const started = run({ PORT: '0' }, ['npm', 'exec', '--call', `true && ${start}`]);
    await until(() => started.output.text.includes('Ctrl-C'));
    started.child.kill('SIGTERM');
    // Comes once no process of it is left.
    expect(await started.ended).toMatchObject({ errors: expect.stringMatching(fromNpm) });
  });

  it('says which port is in use', async () => {
    const first = run({ PORT: '0' }, node);
    await until(() => first.output.text.includes('Ctrl-C'));
    const port = /127\.0\.0\.1:(\d+)/.exec(first.output.text)?.[1] ?? '';
    const second = run({ PORT: port }, node);
    const { code, errors } = await second.ended;
    expect(code).toBe(1);
    expect(errors).toContain(`${port} is already in use: choose another, such as PORT=`);

    first.signalGroup('SIGINT');
    expect(await first.ended).toMatchObject({ code: 0, errors: '' });
  });

  it.each(['abc', '-1', '70000', '5173x'])('says that %s is no port', async (PORT) => {
    const { code, text, errors } = await run({ PORT }, node).ended;
    expect({ code, text, errors }).toEqual({
      code: 1,
      text: '',
      errors: `console: PORT must be a port from 0 to 65535, got "${PORT}"\n`,
    });
  });
});
