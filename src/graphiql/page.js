// Runs in the browser before GraphiQL's own script, and starts GraphiQL when its script has loaded.
const { workers, options } = JSON.parse(document.querySelector('#start').textContent);

globalThis.MonacoEnvironment = {
  // Makes the editor a global, for `shareHeaders`.
  globalAPI: true,
  getWorkerUrl: (_, label) => workers[label],
};

// GraphiQL always stores the headers of its history, and the headers of tabs if it was ever told to.
const holdHeaders = new Set(['graphiql:tabState', 'graphiql:queries', 'graphiql:favorites']);
const areHeaders = new Set(['graphiql:headers', 'graphiql:shouldPersistHeaders']);
const withoutHeaders = (name, value) => (name === 'headers' ? null : value);

/** The browser's storage, without the content of the headers pane. */
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

// GraphiQL may change spaces and commas when it formats a text.
const squeezed = (text) => text.replaceAll(/[\s,]/g, '');

/** Uses one text in the headers panes of all tabs, since credentials belong to the caller and not to a tab. */
const shareHeaders = (start) => {
  let shared = start;
  monaco.editor.onDidCreateModel((model) => {
    if (!model.uri.path.endsWith('request-headers.json')) return;
    model.onDidChangeContent(({ isFlush }) => {
      const text = model.getValue();
      // Only GraphiQL replaces the whole text, for another tab or from the history.
      if (isFlush && squeezed(text) !== squeezed(shared)) model.setValue(shared);
      else shared = text;
    });
  });
};

/** Shows the variables pane when a tab with variables is opened or taken from the history. */
const showVariables = () => {
  monaco.editor.onDidCreateModel((model) => {
    if (!model.uri.path.endsWith('variables.json')) return;
    model.onDidChangeContent(({ isFlush }) => {
      // Only GraphiQL replaces the whole text. Typing must not open another pane.
      if (!isFlush || model.getValue().trim() === '') return;
      document.querySelector('.graphiql-editor-tools [data-name=variables]')?.click();
    });
  });
};

/** The offset of a line and a column, both counted from 1, in a text whose lines end in `\n`. */
const positionOf = (text, { line, column }) =>
  text
    .split('\n')
    .slice(0, line - 1)
    .reduce((position, { length }) => position + length + 1, column - 1);

/** Adds a mark to the schema's description at each field that does not work here; see Gateway.unavailableFields. */
const withMarks = async (described, ask) => {
  const [result, answer] = await Promise.all([
    described.json(),
    // Without an answer there are no marks.
    ask('{ gateway { unavailableFields } }').catch(() => undefined),
  ]);
  const unavailable = new Set(answer?.data?.gateway.unavailableFields);
  for (const type of result.data?.__schema.types ?? []) {
    for (const field of type.fields ?? []) {
      if (!unavailable.has(`${type.name}.${field.name}`)) continue;
      field.description = `**Does not work with this gateway.** ${field.description ?? ''}`;
    }
  }
  return result;
};

/**
 * Sends operations exactly as in the editor, and shows errors with their `locations`. GraphiQL would print an operation
 * again before it sends it, so that lines and columns would belong to another text. It shows errors without
 * `locations`, since it derives these only from a source and positions. The only way in is the global `fetch`, which
 * GraphiQL uses.
 */
const keepLocations = () => {
  const { fetch } = globalThis;
  globalThis.fetch = async (url, init) => {
    const sent = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    const models = monaco.editor.getModels();
    const model = models.find(({ uri }) => uri.path.endsWith('operation.graphql'));
    const ask = async (query) =>
      (await fetch(url, { ...init, body: JSON.stringify({ query }) })).json();
    // GraphiQL's own query for the schema does not come from the editor.
    if (sent.operationName === 'IntrospectionQuery') {
      return Response.json(await withMarks(await fetch(url, init), ask));
    }
    if (!model || !sent.query) return fetch(url, init);
    const query = model.getValue(monaco.editor.EndOfLinePreference.LF);
    const answer = await fetch(url, { ...init, body: JSON.stringify({ ...sent, query }) });
    const { status, statusText, headers } = answer;
    if (!/\bjson\b/i.test(headers.get('content-type') ?? '')) return answer;
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

/** GraphiQL names its icons after minified functions, such as "gze icon". Its buttons have readable names. */
const unnameIcons = () => {
  const unname = () => {
    for (const title of document.querySelectorAll('svg > title')) title.remove();
  };
  new MutationObserver(unname).observe(document.body, { childList: true, subtree: true });
};

/** GraphiQL shows the stack of a syntax error. With this number undefined, V8 makes no stack. */
const hideStacks = () => {
  Error.stackTraceLimit = undefined;
};

/** Removes the query of a link from the address once the tab's query differs; a reload then shows the tab's query. */
const forgetLink = () => {
  const address = new URL(location.href);
  if (!address.searchParams.has('query')) return;
  address.searchParams.delete('query');
  history.replaceState(null, '', address);
};

addEventListener('DOMContentLoaded', () => {
  // A reload returns to the tab with the query that was stored last. On a first visit no query is stored until one is
  // edited or another tab is opened, so a reload would add an empty tab.
  localStorage['graphiql:query'] ??= options.defaultTabs[0].query;
  shareHeaders(options.defaultHeaders);
  showVariables();
  unnameIcons();
  keepLocations();
  hideStacks();
  monaco.editor.onDidCreateEditor((editor) => editor.updateOptions({ wordWrap: 'on' }));
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    ...options,
    // A reload returns to a tab that may have variables.
    defaultEditorToolsVisibility: localStorage['graphiql:variables'] ? 'variables' : 'headers',
    // Without this list, GraphiQL shows its default plugins: documentation and history.
    plugins: undefined,
    storage,
    // By default every query is written into the address, and so into the logs of proxies.
    onEditQuery: forgetLink,
  });
});
