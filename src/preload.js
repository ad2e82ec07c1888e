// Runs before everything else when the gateway is started. This is old, plain JavaScript: it must run on the Node
// versions that it refuses, which cannot load TypeScript.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Sluice needs Node 22.19 or newer and was started with ${process.versions.node}: install a newer Node; in a clone, "npm ci" brings Node 24 along for npm's scripts.\n`,
  );
  process.exit(1);
}
