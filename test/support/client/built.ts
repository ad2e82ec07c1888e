import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const missing = ['src/generated/operations.ts', 'dist/index.js']
  .map((path) => fileURLToPath(new URL(`../../../client/${path}`, import.meta.url)))
  .filter((path) => !existsSync(path));

if (missing.length > 0) {
  throw new Error(
    `The client is not built: run "npm run build -w client" first. Missing: ${missing.join(', ')}`,
  );
}
