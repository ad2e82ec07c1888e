// Comes first in every npm script.
import './preload.js';

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
