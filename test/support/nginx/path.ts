import { existsSync } from 'node:fs';

const asked = process.env.NGINX;
const usual = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'];

/** The path of nginx; undefined if this machine has none. NGINX sets the path, or is `none`. */
export const nginxPath =
  asked === 'none' ? undefined : asked || usual.find((path) => existsSync(path));

/** Reports once that tests with nginx are skipped; throws if the nginx in NGINX does not exist. */
export const setup = (): void => {
  if (nginxPath !== undefined && !existsSync(nginxPath)) {
    throw new Error(`NGINX must be the path of nginx, and ${nginxPath} does not exist`);
  }
  if (nginxPath === undefined) {
    process.stderr.write('No nginx here: the tests with nginx are skipped (NGINX=path).\n');
  }
};
