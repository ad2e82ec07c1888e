import { existsSync } from 'node:fs';

const find = (variable: string, ...usual: readonly string[]): string | undefined => {
  const asked = process.env[variable];
  return asked === 'none' ? undefined : asked || usual.find((path) => existsSync(path));
};

/** The paths of programs; undefined if this machine has none. The variables named here set them, or are `none`. */
export const browserPath = find(
  ...([
    'CHROMIUM',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ] as const),
);
export const nginxPath = find(
  ...(['NGINX', '/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'] as const),
);
export const opensslPath = find('OPENSSL', '/usr/bin/openssl', '/opt/homebrew/bin/openssl');
export const tinyproxyPath = find('TINYPROXY', '/usr/bin/tinyproxy');
export const podmanPath = find('PODMAN', '/usr/bin/podman');
/** Makes a base image where no registry is reached. */
export const debootstrapPath = find('DEBOOTSTRAP', '/usr/sbin/debootstrap');

/** Reports once which tests are skipped; throws if a program that is asked for does not exist. */
export const setup = (): void => {
  for (const [variable, path, where] of [
    ['CHROMIUM', browserPath, 'in a browser'],
    ['NGINX', nginxPath, 'behind nginx'],
    ['OPENSSL', opensslPath, 'with a Redis behind TLS'],
    ['TINYPROXY', tinyproxyPath, 'with an egress proxy'],
    ['PODMAN', podmanPath, 'of the image'],
  ] as const) {
    if (path === undefined) {
      process.stderr.write(`The tests ${where} are skipped: no program here (${variable}=path).\n`);
    } else if (!existsSync(path)) {
      throw new Error(`${variable} must be the path of a program, and ${path} does not exist`);
    }
  }
};
