import { expect } from 'chai';
import { judgeConversion } from '../../src/apiserver/connection/conversion-answer.ts';
import { conversion } from '../support/snapshot.ts';

const callout = conversion();
const stored = callout.versions.find(({ storage }) => storage)?.name ?? '';
const { group, kind } = callout.resource;
const object = { apiVersion: `${group}/v0`, kind, metadata: { name: 'one', namespace: 'shop', uid: 'u' } };
const right = { ...object, apiVersion: `${group}/${stored}` };
const of = `conversion webhook for ${group}/${stored}, Kind=${kind}`;

const judge = (...convertedObjects: readonly unknown[]) => {
  const review = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: { uid: 'uid', result: { status: 'Success' }, convertedObjects },
  };
  return judgeConversion(
    { status: 200, headers: {}, body: Buffer.from(JSON.stringify(review)) },
    { version: 'v1', uid: 'uid', operation: 'CONVERT', resource: 'widgets', object, milliseconds: 1 },
    callout,
    'v1.35.4',
  );
};

describe('the answer to a ConversionReview', () => {
  it('is taken where the object is the same in the other version', () => {
    expect(judge(right).outcome).to.equal('allowed');
    const labelled = { ...right, metadata: { ...right.metadata, labels: { a: 'b' } } };
    expect(judge(labelled).outcome).to.equal('allowed');
  });
  const wrong: readonly (readonly [string, readonly unknown[], string, boolean])[] = [
    ['nothing', [], `${of} returned 0 objects, expected 1`, true],
    ['two objects', [right, right], `${of} returned 2 objects, expected 1`, true],
    [
      'another kind',
      [{ ...right, kind: 'Other' }],
      `${of} returned invalid object at index 0: invalid kind (expected ${kind}, received Other)`,
      true,
    ],
    [
      'the object as it was',
      [object],
      `${of} returned invalid object at index 0: invalid groupVersion (expected ${group}/${stored}, received ${group}/v0)`,
      false,
    ],
    [
      'another name',
      [{ ...right, metadata: { ...right.metadata, name: 'two' } }],
      `${of} returned invalid object: must have the same name: one != two`,
      false,
    ],
    [
      'no metadata',
      [{ ...right, metadata: undefined }],
      `${of} returned invalid object: must have the same name: one != `,
      false,
    ],
  ];
  for (const [what, objects, text, complete] of wrong) {
    it(`is refused with ${what}`, () => {
      expect(judge(...objects)).to.include({ outcome: 'call-failure', text, complete });
    });
  }
});
