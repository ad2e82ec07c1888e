// Comes before all else where the gateway is started, so that Node loads nothing for TypeScript that it need not. Plain
// JavaScript of an old kind: it must run on the very Node versions that it turns away.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Sluice needs Node 22.19 or newer and was started with ${process.versions.node}: run it through npm after "npm ci", which brings Node 24 along, or install a newer Node.\n`,
  );
  process.exit(1);
}

// Keeps what Node compiles for the next start, and from Node 24 on what it makes of TypeScript. The folder is the
// installation's own: what is read from it is run, so that nobody else may be able to write there. Where this
// process may not write either, every start is a first one.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sluice', import.meta.url)));
// Node itself writes at a normal end alone, which a container's process may never come to.
setTimeout(module.flushCompileCache, 3000).unref();
