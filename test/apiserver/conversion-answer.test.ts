import { expect } from 'chai';
import { judgeConversion } from '../../src/apiserver/connection/conversion-answer.ts';
import { conversion } from '../support/snapshot.ts';

const callout = conversion();
const stored = callout.versions.find(({ storage }) => storage)?.name ?? '';
const { group, kind } = callout.resource;
const read = callout.versions.find(({ storage }) => !storage)?.name ?? '';
const object = {
  apiVersion: `${group}/${read}`,
  kind,
  metadata: { name: 'one', namespace: 'shop', uid: 'u' },
};
const right = { ...object, apiVersion: `${group}/${stored}` };
const of = `conversion webhook for ${group}/${stored}, Kind=${kind}`;

const reviewOf = (...convertedObjects: readonly unknown[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  response: { uid: 'uid', result: { status: 'Success' }, convertedObjects },
});

const judge = (...convertedObjects: readonly unknown[]) => judgeReview(reviewOf(...convertedObjects));

const judgeReview = (review: object) =>
  judgeConversion(
    { status: 200, headers: {}, body: Buffer.from(JSON.stringify(review)) },
    { version: 'v1', uid: 'uid', operation: 'CONVERT', resource: 'widgets', object, milliseconds: 1 },
    callout,
    'v1.35.4',
  );

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
      `${of} returned invalid object at index 0: invalid groupVersion (expected ${group}/${stored}, received ${group}/${read})`,
      false,
    ],
    [
      'a version that the CRD does not have: a stored object is read in the only other one',
      [{ ...object, apiVersion: 'z/v1' }],
      `${of} returned invalid object at index 0: invalid groupVersion (expected ${group}/${read}, received z/v1)`,
      true,
    ],
    ['a word', ['x'], 'json: cannot unmarshal string into Go value of type map[string]interface {}', true],
    ['a list', [[]], 'json: cannot unmarshal array into Go value of type map[string]interface {}', true],
    ['null', [null], 'unexpected end of JSON input', true],
    ['no kind', [{}], "Object 'Kind' is missing in '", false],
    [
      'labels that are a word',
      [{ ...right, metadata: { ...right.metadata, labels: 'x' } }],
      `${of} returned invalid metadata: invalid metadata.labels of type string in converted object`,
      true,
    ],
    [
      'an annotation that is a number',
      [{ ...right, metadata: { ...right.metadata, annotations: { a: 1 } } }],
      `${of} returned invalid metadata: metadata.annotations[a] must be a string, but is int64 in converted object`,
      true,
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

  const want = 'apiextensions.k8s.io/v1, Kind=ConversionReview';
  const others: readonly (readonly [string, object, string, boolean])[] = [
    ['nothing', {}, `expected webhook response of ${want}, got /, Kind=`, true],
    [
      'no kind',
      { apiVersion: 'apiextensions.k8s.io/v1' },
      `expected webhook response of ${want}, got apiextensions.k8s.io/v1, Kind=`,
      true,
    ],
    [
      'the older version',
      { ...reviewOf(right), apiVersion: 'apiextensions.k8s.io/v1beta1' },
      'converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
      true,
    ],
    [
      'another kind',
      { ...reviewOf(right), kind: 'Review' },
      'no kind "Review" is registered for version "apiextensions.k8s.io/v1" in scheme "',
      false,
    ],
  ];
  for (const [what, review, cause, complete] of others) {
    it(`is refused as a review of ${what}`, () => {
      expect(judgeReview(review)).to.include({
        outcome: 'call-failure',
        text: `${of} failed: ${cause}`,
        complete,
      });
    });
  }
});
