import { table } from '../report.ts';
import { compare, type Done, doJobs } from './run.ts';

// Does the jobs of jobs.ts as an agent would, and compares each answer with that of a GraphQL query. Fails if one is wrong,
// or if the jobs that were possible before take more than half the calls or characters. On an idle machine it is a third of
// the characters; on a busy one a fleet may have to be asked for again.
// Run: npm run bench:agents
const rowOf = ({ asks, spent, before, fault }: Done) => [
  ...[asks, fault === undefined ? 'right' : `WRONG: ${fault}`],
  ...[before?.calls ?? '–', spent.calls, before?.characters ?? '–', spent.characters],
];

const { one, fleet, impossible } = await doJobs();
const done = [...one, ...fleet];
const header = ['job', 'answer', 'calls before', 'now', 'characters before', 'now'];
const { before, now } = compare(done);
process.stdout.write(`${table(2, header, [...done, ...impossible].map(rowOf))}

Jobs that were possible before: ${before.calls} calls then and ${now.calls} now, ${before.characters} characters then and ${now.characters} now.
`);
const isWrong = [...done, ...impossible].some(({ fault }) => fault !== undefined);
const isLong = now.calls > before.calls / 2 || now.characters > before.characters / 2;
process.exit(isWrong || isLong ? 1 : 0);
