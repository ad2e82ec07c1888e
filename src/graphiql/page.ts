import { type GraphiqlFiles, pathOf } from './files.ts';
import type { GraphiqlTab } from './start.ts';

interface PageOptions {
  readonly files: GraphiqlFiles;
  /** Text of the headers pane. */
  readonly headers: string;
  readonly tabs: readonly GraphiqlTab[];
  /** Relative path from the page to the folder of the files. */
  readonly base: string;
}

/** The page may run only its own files and connect only to the gateway. The editor adds its own styles. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Without this rule, hidden parts of the editors make the page longer than the window. */
const wide = '@media (min-width:701px){body{overflow:hidden}}';

/** On a phone the parts stand below each other, and the page scrolls. */
const narrow = `@media (max-width:700px){
.graphiql-container,.graphiql-main,#graphiql-session{flex-direction:column!important;height:auto!important}
.graphiql-container .graphiql-sidebar{flex-direction:row;width:auto}
.graphiql-horizontal-drag-bar,.graphiql-logo{display:none!important}
.graphiql-plugin,.graphiql-sessions,.graphiql-editors,.graphiql-response{flex:none!important;min-width:0!important}
.graphiql-plugin{max-height:70vh;overflow:auto}
.graphiql-editors{height:70vh}
.graphiql-response{height:80vh}
.graphiql-container .graphiql-query-editor{flex-direction:column-reverse;padding:8px;column-gap:0}
.graphiql-container .graphiql-toolbar{flex-direction:row;width:auto}
.graphiql-dialog .graphiql-dialog-section{flex-direction:column;align-items:flex-start;gap:8px}
.graphiql-dialog .graphiql-dialog-section>*{margin-left:0!important}
}`;

/** JSON as the text of an element, without characters that could end the element. */
const embed = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** The page, which names its files and contains GraphiQL's initial state. */
export const renderPage = ({ files, headers, tabs, base }: PageOptions): string => {
  const links = new Map([...files.values()].map((file) => [file.name, base + pathOf(file)]));
  const link = (name: string): string => {
    const found = links.get(name);
    if (found === undefined) throw new TypeError(`GraphiQL has no file ${name}`);
    return found;
  };
  const start = {
    workers: {
      editorWorkerService: link('editor-worker.js'),
      graphql: link('graphql-worker.js'),
      json: link('json-worker.js'),
    },
    options: {
      title: 'Sluice',
      shouldPersistHeaders: false,
      showPersistHeadersSettings: false,
      defaultHeaders: headers,
      defaultTabs: tabs.map((tab) => ({ ...tab, headers })),
    },
  };
  // On a first visit GraphiQL leaves an offset on each tab, so a tab is drawn in one place and takes clicks in another,
  // and the first click misses. This rule removes the offset. As a side effect, a dragged tab does not move until it is
  // dropped.
  const tabsInPlace = '.graphiql-tab{transform:none!important}';
  // Tabs without room in a line come below: GraphiQL would leave them out of sight, without a bar to scroll.
  const tabsInLines = `.graphiql-tabs{flex-wrap:wrap;row-gap:4px!important}
.graphiql-container .graphiql-session-header{height:auto;min-height:var(--session-header-height)}`;
  // GraphiQL has room only for the shortcut of a Mac, and puts the search over long titles.
  const docs = `.graphiql-plugin{position:relative}
.graphiql-doc-explorer-search:not(:focus-within) [role=combobox]{width:11ch!important}
.graphiql-doc-explorer-back~.graphiql-doc-explorer-title{margin-top:16px}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice</title>
<link rel="icon" href="${link('favicon.ico')}">
<link rel="stylesheet" href="${link('graphiql.css')}">
<style>body{margin:0}${tabsInPlace}${tabsInLines}${docs}${wide}${narrow}</style>
<script type="application/json" id="start">${embed(start)}</script>
<script src="${link('page.js')}" defer></script>
<script src="${link('graphiql.js')}" defer></script>
</head>
<body>
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"></div>
</body>
</html>
`;
};
