/** One event of a stream. */
export interface StreamEvent {
  /** Its `event`; empty if it has none. */
  readonly name: string;
  readonly data: string;
  /** The last `retry` of the stream: the time before a reconnection. */
  readonly retryMs: number | undefined;
}

/**
 * Makes a parser of an event stream (HTML standard, section 9.2.6). It is called with each piece of the text, and returns the
 * events that the piece completes. `id` is ignored.
 */
export const createEventReader = (): ((piece: string) => readonly StreamEvent[]) => {
  let rest = '';
  let name = '';
  let data: string[] = [];
  let retryMs: number | undefined;
  return (piece) => {
    // A carriage return at the end does not end the line yet: the next piece may begin with its line feed.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    const events: StreamEvent[] = [];
    for (const line of lines) {
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === 'event') name = value;
      if (field === 'data') data.push(value);
      if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
      if (line !== '') continue;
      if (data.length > 0) events.push({ name, data: data.join('\n'), retryMs });
      name = '';
      data = [];
    }
    return events;
  };
};

/** The events of a response's body, as they arrive. Calls `onPiece` for each piece, including pings. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  onPiece: () => void,
): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read = createEventReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onPiece();
    yield* read(decoder.decode(value, { stream: true }));
  }
}
