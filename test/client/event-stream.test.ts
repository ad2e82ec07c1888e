import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEventReader } from '../../client/src/event-stream.ts';

const read = (pieces: readonly string[]) => {
  const reader = createEventReader();
  return pieces.flatMap((piece) => reader(piece));
};

it.each([
  ['an event', 'event: next\ndata: {}\n\n', [{ name: 'next', data: '{}' }]],
  ['data of several lines', 'data: a\ndata:b\ndata:  c\n\n', [{ name: '', data: 'a\nb\n c' }]],
  ['a name without data', 'event: complete\n\ndata: a\n\n', [{ name: '', data: 'a' }]],
  ['empty data', 'event: complete\ndata:\n\n', [{ name: 'complete', data: '' }]],
  ['a field without a colon', 'data\n\n', [{ name: '', data: '' }]],
  ['comments', ':\n\n: data: a\n\n:data: b\n\n', []],
  ['other fields', 'id: 1\nretry: 10\nDATA: a\ndata : b\n\n', []],
  ['a colon in a value', 'data: a: b\n\n', [{ name: '', data: 'a: b' }]],
  ['what is not ended', 'data: a\n', []],
])('%s is read as the standard says', (_, text, events) => {
  expect(read([text])).toEqual(events);
});

it('reads the same whatever the ends of lines, and wherever the text is cut', () => {
  const part = fc.constantFrom('event: next', 'data: {"a":"é"}', 'data', ':', '', '', 'id: 7');
  const property = fc.property(
    fc.array(part),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.array(fc.nat({ max: 80 })),
    (lines, end, cuts) => {
      const text = lines.map((line) => line + end).join('');
      const places = [0, ...cuts.sort((one, other) => one - other), text.length];
      const pieces = places.slice(1).map((place, index) => text.slice(places[index], place));
      // The comment ends a line whose carriage return might be the first half of an end.
      expect(read([...pieces, ':'])).toEqual(read([text.replaceAll(end, '\n')]));
    },
  );
  fc.assert(property, { numRuns: 300 });
});
