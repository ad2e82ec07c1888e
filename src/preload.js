// Comes first wherever the project is started. Plain JavaScript of an old kind: it must run on the very Node
// versions that it turns away, and Node is to load nothing for TypeScript before the cache is there.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Sluice needs Node 22.19 or newer and was started with ${process.versions.node}: run it through npm after "npm ci", which brings Node 24 along, or install a newer Node.\n`,
  );
  process.exit(1);
}

// Keeps what Node compiles, types stripped, for the next start, which then takes half as long. The folder is the
// installation's own: what is read from it is run, so that nobody else may be able to write there. Where this
// process may not write either, every start is a first one.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sluice', import.meta.url)));
// Node itself writes at a normal end alone, which a container's process may never come to.
setTimeout(module.flushCompileCache, 3000).unref();

// npm hands a signal to the shell that it runs scripts in, and that shell may die of it without telling
// this process, which would go on and keep its port. Losing one's parent counts as the signal then,
// unless the signal came here too: a second one ends the process at once.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  let told = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      told = true;
      // What has no handler of its own yet, or never will, ends as it would without this one.
      if (process.listenerCount(signal) === 1) process.exit(1);
    });
  }
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (!told) process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
}
