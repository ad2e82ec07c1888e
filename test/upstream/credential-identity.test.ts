import { describe, expect, it } from 'vitest';
import { credentialIdentity } from '../../src/upstream/credential-identity.ts';

describe('what a credential is known by', () => {
  it.each([
    ['Bearer abc', 'bearer abc'],
    ['Bearer abc', 'BEARER    abc'],
    ['Basic a2V5OnM/Pz8+', 'basic  a2V5OnM_Pz8-'],
    ['Basic a2V5OnNlYw==', 'Basic a2V5OnNlYw'],
    ['Basic a2V5OnNlYw==', 'Basic a2V5OnNlYx=='],
  ])('is the same for %j and %j', (one, other) => {
    expect(credentialIdentity(one)).toBe(credentialIdentity(other));
  });

  it.each([
    ['Bearer abc', 'Bearer ABC'],
    ['Bearer abc', 'Bearer abc='],
    ['Bearer YWJj', 'Basic YWJj'],
    ['Basic a2V5OnNlYw==', 'Basic a2V5OnNlYzE='],
    ['Bearer', 'Basic'],
    ['Basic name=one', 'Basic name=two'],
    ['Basic !!!', 'Basic ...'],
  ])('differs for %j and %j', (one, other) => {
    expect(credentialIdentity(one)).not.toBe(credentialIdentity(other));
  });
});
