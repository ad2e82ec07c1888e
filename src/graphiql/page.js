// Runs in the browser, before GraphiQL's own script, and starts it once that is there.
const { workers, options } = JSON.parse(document.querySelector('#start').textContent);

globalThis.MonacoEnvironment = {
  // Makes the editor a global, for `shareHeaders`.
  globalAPI: true,
  getWorkerUrl: (_, label) => workers[label],
};

// GraphiQL would keep the headers of tabs, if it was once told to, and those of its history always.
const holdHeaders = new Set(['graphiql:tabState', 'graphiql:queries', 'graphiql:favorites']);
const areHeaders = new Set(['graphiql:headers', 'graphiql:shouldPersistHeaders']);
const withoutHeaders = (name, value) => (name === 'headers' ? null : value);

/** The browser's storage, which never gets to see the headers pane. */
const storage = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => {
    if (areHeaders.has(key)) return;
    const kept = holdHeaders.has(key) ? JSON.stringify(JSON.parse(value), withoutHeaders) : value;
    localStorage.setItem(key, kept);
  },
  removeItem: (key) => localStorage.removeItem(key),
  get length() {
    return localStorage.length;
  },
  clear: () => {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith('graphiql:')) localStorage.removeItem(key);
    }
  },
};

// What may change when GraphiQL puts a text in order.
const squeezed = (text) => text.replaceAll(/[\s,]/g, '');

/** Has one text in the headers pane for all tabs: the credentials are the caller's, not a tab's. */
const shareHeaders = (start) => {
  let shared = start;
  monaco.editor.onDidCreateModel((model) => {
    if (!model.uri.path.endsWith('request-headers.json')) return;
    model.onDidChangeContent(({ isFlush }) => {
      const text = model.getValue();
      // A whole text is put in by GraphiQL alone, for another tab or from the history.
      if (isFlush && squeezed(text) !== squeezed(shared)) model.setValue(shared);
      else shared = text;
    });
  });
};

/** Shows the pane of the variables once a tab is opened, or taken from the history, that has some. */
const showVariables = () => {
  monaco.editor.onDidCreateModel((model) => {
    if (!model.uri.path.endsWith('variables.json')) return;
    model.onDidChangeContent(({ isFlush }) => {
      // Only GraphiQL replaces the text as a whole, and what somebody types must not open another pane.
      if (!isFlush || model.getValue().trim() === '') return;
      document.querySelector('.graphiql-editor-tools [data-name=variables]')?.click();
    });
  });
};

/** Where a line and a column, counted from 1, are in a text whose lines end in `\n`. */
const positionOf = (text, { line, column }) =>
  text
    .split('\n')
    .slice(0, line - 1)
    .reduce((position, { length }) => position + length + 1, column - 1);

/**
 * Has operations sent as they stand in the editor, and errors shown with their `locations`. GraphiQL would print an operation
 * anew before it sends it, so that lines and columns were those of another text; and it shows errors without `locations`, as it
 * makes these from a source and positions alone. It takes no other `fetch` than the global one.
 */
const keepLocations = () => {
  const { fetch } = globalThis;
  globalThis.fetch = async (url, init) => {
    const sent = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    const models = monaco.editor.getModels();
    const model = models.find(({ uri }) => uri.path.endsWith('operation.graphql'));
    // What asks for the schema does not come from the editor.
    if (!model || !sent.query || sent.operationName === 'IntrospectionQuery') {
      return fetch(url, init);
    }
    const query = model.getValue(monaco.editor.EndOfLinePreference.LF);
    const answer = await fetch(url, { ...init, body: JSON.stringify({ ...sent, query }) });
    const { status, statusText, headers } = answer;
    if (!/\bjson\b/.test(headers.get('content-type') ?? '')) return answer;
    const source = { body: query, name: 'GraphQL request', locationOffset: { line: 1, column: 1 } };
    const result = await answer.json();
    for (const error of result.errors ?? []) {
      if (!error.locations) continue;
      error.source = source;
      error.positions = error.locations.map((location) => positionOf(query, location));
      delete error.locations;
    }
    return new Response(JSON.stringify(result), { status, statusText, headers });
  };
};

/** GraphiQL names its icons after functions, whose names are shortened: "gze icon". Its buttons have names of their own. */
const unnameIcons = () => {
  const unname = () => {
    for (const title of document.querySelectorAll('svg > title')) title.remove();
  };
  new MutationObserver(unname).observe(document.body, { childList: true, subtree: true });
};

/** Takes a link's query out of the address once it is another; a reload has the tab's own. */
const forgetLink = () => {
  const address = new URL(location.href);
  if (!address.searchParams.has('query')) return;
  address.searchParams.delete('query');
  history.replaceState(null, '', address);
};

addEventListener('DOMContentLoaded', () => {
  // A reload returns to the tab that holds the query noted last. On a first visit none is noted until one
  // is edited or another tab opened, and a reload would add an empty tab.
  localStorage['graphiql:query'] ??= options.defaultTabs[0].query;
  shareHeaders(options.defaultHeaders);
  showVariables();
  unnameIcons();
  keepLocations();
  monaco.editor.onDidCreateEditor((editor) => editor.updateOptions({ wordWrap: 'on' }));
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    ...options,
    // A reload returns to a tab that may have variables.
    defaultEditorToolsVisibility: localStorage['graphiql:variables'] ? 'variables' : 'headers',
    // Without a list of its own, GraphiQL has its documentation and its history.
    plugins: undefined,
    storage,
    // By default every query is written into the address, and with it into the logs of proxies.
    onEditQuery: forgetLink,
  });
});
