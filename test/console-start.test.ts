import { expect, it } from 'vitest';
import { describeInBrowser, openPage } from './chromium.ts';
import { right, row, shows } from './console-page.ts';
import { run, until } from './run-main.ts';

describeInBrowser('npm run console', () => {
  it('starts the console on the sandbox, filled in, and ends with Ctrl-C', async () => {
    const started = run({ PORT: '0' }, [process.execPath, 'examples/console/start.ts']);
    const { output } = started;
    const address = () => /http:\/\/127\.0\.0\.1:\d+\//.exec(output.text)?.[0];
    let ended = false;
    void started.ended.then(() => {
      ended = true;
    });
    await until(() => address() !== undefined || ended);
    expect(output.errors).toBe('');

    const { page, complaints, elsewhere } = await openPage(address() ?? '');
    const signIn = page.getByRole('button', { name: 'Sign in' });
    await signIn.waitFor();
    expect(await page.getByLabel('Key id').inputValue()).toBe(right.keyId);
    await signIn.click();
    await shows(row(page, 'clickstream'), 'Running');
    await shows(row(page, 'API latency'), 'Fires above 800');
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });

    started.signalGroup('SIGINT');
    expect(await started.ended).toMatchObject({ code: 0, errors: '' });
  });

  it('says which port is in use', async () => {
    const first = run({ PORT: '0' }, [process.execPath, 'examples/console/start.ts']);
    await until(() => first.output.text.includes('Ctrl-C'));
    const port = /127\.0\.0\.1:(\d+)/.exec(first.output.text)?.[1] ?? '';
    const second = run({ PORT: port }, [process.execPath, 'examples/console/start.ts']);
    const { code, errors } = await second.ended;
    expect(code).toBe(1);
    expect(errors).toContain(`${port} is already in use: choose another, such as PORT=`);
  });
});
