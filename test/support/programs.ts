import { existsSync } from 'node:fs';

/** The path of a program, which the variable sets; undefined if there is none, or the variable says `none`. */
export const find = (variable: string, ...usual: readonly string[]): string | undefined => {
  const asked = process.env[variable];
  return asked === 'none' ? undefined : asked || usual.find((path) => existsSync(path));
};

export const inUsualFolders = (name: string): readonly string[] =>
  ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'].map((at) => `${at}/${name}`);

/** The paths of programs; undefined if this machine has none. Variables of the environment set them, or are `none`. */
export const browserPath = find(
  ...([
    'CHROMIUM',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ] as const),
);
export const nginxPath = find('NGINX', ...inUsualFolders('nginx'));
export const opensslPath = find('OPENSSL', ...inUsualFolders('openssl'));
export const tinyproxyPath = find('TINYPROXY', ...inUsualFolders('tinyproxy'));
export const podmanPath = find('PODMAN', ...inUsualFolders('podman'));
/** Makes a base image where no registry is reached. */
export const debootstrapPath = find('DEBOOTSTRAP', ...inUsualFolders('debootstrap'));
export const kubectlPath = find('KUBECTL', ...inUsualFolders('kubectl'));
export const prometheusPath = find('PROMETHEUS', ...inUsualFolders('prometheus'));
export const promtoolPath = find('PROMTOOL', ...inUsualFolders('promtool'));

/** Reports once which tests are skipped; throws if a program that is asked for does not exist. */
export const setup = (): void => {
  for (const [variable, path, where] of [
    ['CHROMIUM', browserPath, 'in a browser'],
    ['NGINX', nginxPath, 'behind nginx'],
    ['OPENSSL', opensslPath, 'with a Redis behind TLS'],
    ['TINYPROXY', tinyproxyPath, 'with an egress proxy'],
    ['PODMAN', podmanPath, 'of the image'],
    ['PROMETHEUS', prometheusPath, 'with Prometheus'],
    ['PROMTOOL', promtoolPath, 'of the alert rules'],
  ] as const) {
    if (path === undefined) {
      process.stderr.write(`The tests ${where} are skipped: no program here (${variable}=path).\n`);
    } else if (!existsSync(path)) {
      throw new Error(`${variable} must be the path of a program, and ${path} does not exist`);
    }
  }
};
