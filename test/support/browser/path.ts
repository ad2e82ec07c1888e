import { existsSync } from 'node:fs';

const asked = process.env.CHROMIUM;
const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where a browser is, or undefined where this machine has none. CHROMIUM names the one to use, or is `none`. */
export const browserPath =
  asked === 'none' ? undefined : asked || usual.find((path) => existsSync(path));

/** Says once, for all tests, that those in a browser are skipped; a browser that is asked for has to be there. */
export const setup = (): void => {
  if (browserPath !== undefined && !existsSync(browserPath)) {
    throw new Error(`CHROMIUM must be the path of a browser, and ${browserPath} does not exist`);
  }
  if (browserPath === undefined) {
    process.stderr.write('No Chromium here: the tests in a browser are skipped (CHROMIUM=path).\n');
  }
};
