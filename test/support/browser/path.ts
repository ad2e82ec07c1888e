import { existsSync } from 'node:fs';

const asked = process.env.CHROMIUM;
const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of the browser; undefined if this machine has none. CHROMIUM sets the path, or is `none`. */
export const browserPath =
  asked === 'none' ? undefined : asked || usual.find((path) => existsSync(path));

/** Reports once that browser tests are skipped; throws if the browser in CHROMIUM does not exist. */
export const setup = (): void => {
  if (browserPath !== undefined && !existsSync(browserPath)) {
    throw new Error(`CHROMIUM must be the path of a browser, and ${browserPath} does not exist`);
  }
  if (browserPath === undefined) {
    process.stderr.write('No Chromium here: the tests in a browser are skipped (CHROMIUM=path).\n');
  }
};
