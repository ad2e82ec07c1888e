import '../support/client/built.ts';
import { print, stripIgnoredCharacters } from 'graphql';
import { expect, it } from 'vitest';
import * as exported from '../../client/src/operations.ts';
import { documents } from '../support/operations.ts';

it("the client's documents are the operations of operations/, each with its fragments", () => {
  const texts = Object.entries(exported).map(([name, document]) => [name, String(document)]);
  const expected = Object.entries(documents).map(([name, document]) => [
    `${name}Document`,
    stripIgnoredCharacters(print(document)),
  ]);
  expect(Object.fromEntries(texts)).toEqual(Object.fromEntries(expected));
});
