import { existsSync } from 'node:fs';

const asked = process.env.NGINX;
const usual = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'];

/** Where nginx is, or undefined where this machine has none. NGINX names the one to use, or is `none`. */
export const nginxPath =
  asked === 'none' ? undefined : asked || usual.find((path) => existsSync(path));

/** Says once, for all tests, that those with nginx are skipped; an nginx that is asked for has to be there. */
export const setup = (): void => {
  if (nginxPath !== undefined && !existsSync(nginxPath)) {
    throw new Error(`NGINX must be the path of nginx, and ${nginxPath} does not exist`);
  }
  if (nginxPath === undefined) {
    process.stderr.write('No nginx here: the tests with nginx are skipped (NGINX=path).\n');
  }
};
