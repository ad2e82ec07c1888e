/** One event of a stream. */
export interface StreamEvent {
  /** Its `event`; empty where it has none. */
  readonly name: string;
  readonly data: string;
}

/**
 * Takes an event stream apart, as HTML's standard has it (section 9.2.6), from text that comes in pieces: each call
 * returns the events that its piece completes. `id` and `retry` are passed over.
 */
export const createEventReader = (): ((piece: string) => readonly StreamEvent[]) => {
  let rest = '';
  let name = '';
  let data: string[] = [];
  return (piece) => {
    // A carriage return at the end may be the first half of a line's end.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    const events: StreamEvent[] = [];
    for (const line of lines) {
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === 'event') name = value;
      if (field === 'data') data.push(value);
      if (line !== '') continue;
      if (data.length > 0) events.push({ name, data: data.join('\n') });
      name = '';
      data = [];
    }
    return events;
  };
};

/** The events of a response's body, as they come; `onPiece` is called with each piece, pings too. */
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
