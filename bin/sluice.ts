#!/usr/bin/env node
import '../src/preload.js';

// Loaded only now: a Node that is too old cannot load these, and would not say why.
if (process.argv[2] === 'demo') {
  process.argv.splice(2, 1);
  await import('../sandbox/demo.ts');
} else {
  await import('../src/main.ts');
}
