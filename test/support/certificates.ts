import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder, run } from './client/folder.ts';

/** A private authority, made by openssl in a folder, until the test ends. */
export const createAuthority = async () => {
  const folder = await createFolder({}, []);
  const openssl = (words: string, ...args: readonly string[]) =>
    run('openssl', [...words.split(' '), ...args], folder);
  const key = 'req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost';
  const named = (name: string) => ({
    files: { key: join(folder, `${name}.key`), cert: join(folder, `${name}.pem`) },
    key: readFileSync(join(folder, `${name}.key`)),
    cert: readFileSync(join(folder, `${name}.pem`)),
  });
  await openssl(`${key} -x509 -days 2 -keyout own.key -out own.pem`);
  return {
    /** Its own certificate: self-signed, for localhost. */
    own: named('own'),
    /** A certificate for this host; one of no days has expired. */
    issue: async (host = 'localhost', days = 2) => {
      const name = `${host}-${days}`;
      await openssl(
        `${key} -addext subjectAltName=DNS:${host} -keyout ${name}.key -out ${name}.csr`,
      );
      await openssl(
        `x509 -req -in ${name}.csr -CA own.pem -CAkey own.key -copy_extensions copy -days ${days} -out ${name}.pem`,
      );
      return named(name);
    },
  };
};
