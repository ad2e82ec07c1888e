import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const asked = process.env.KUBECTL;
const usual = ['/usr/bin/kubectl', '/usr/local/bin/kubectl', '/opt/homebrew/bin/kubectl'];

/** Where kubectl is, or undefined where this machine has none. KUBECTL names the one to use, or is `none`. */
export const kubectlPath =
  asked === 'none' ? undefined : asked || usual.find((path) => existsSync(path));

/** What a command of kubectl prints that needs no cluster. */
export const kubectl = (args: readonly string[], input = ''): string => {
  if (kubectlPath === undefined) throw new Error('there is no kubectl here (KUBECTL=path)');
  return execFileSync(kubectlPath, args, {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    // No cluster of whoever runs the tests.
    env: { PATH: process.env.PATH, KUBECONFIG: '/dev/null' },
    input,
    encoding: 'utf8',
  });
};
