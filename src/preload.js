// Comes before all else where the gateway is started. Plain JavaScript of an old kind: it must run on the very Node
// versions that it turns away, which cannot load TypeScript.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Sluice needs Node 22.19 or newer and was started with ${process.versions.node}: install a newer Node; in a clone, "npm ci" brings Node 24 along for npm's scripts.\n`,
  );
  process.exit(1);
}
