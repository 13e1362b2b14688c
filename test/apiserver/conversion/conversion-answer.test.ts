import { expect } from 'chai';
import { evaluateConversion } from '../../../src/apiserver/conversion/conversion-answer.ts';
import type { HttpResponse } from '../../../src/facts/probes.ts';
import { conversion } from '../../support/snapshot.ts';

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

const evaluate = (...convertedObjects: readonly unknown[]) => evaluateReview(reviewOf(...convertedObjects));

const evaluateReview = (review: object, over: Partial<HttpResponse> = {}) =>
  evaluateConversion(
    { status: 200, headers: {}, body: Buffer.from(JSON.stringify(review)), ...over },
    { version: 'v1', uid: 'uid', operation: 'CONVERT', resource: 'widgets', object, milliseconds: 1 },
    callout,
    'v1.35.4',
  );

describe('the response to a ConversionReview', () => {
  it('is accepted if the object is the same in the other version', () => {
    expect(evaluate(right).outcome).to.equal('allowed');
    const labelled = { ...right, metadata: { ...right.metadata, labels: { a: 'b' } } };
    expect(evaluate(labelled).outcome).to.equal('allowed');
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
      expect(evaluate(...objects)).to.include({ outcome: 'call-failure', text, complete });
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
      'no kind "Review" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
      true,
    ],
    [
      'a Status',
      { apiVersion: 'v1', kind: 'Status' },
      'converting (v1.Status) to (v1.ConversionReview): unknown conversion',
      true,
    ],
    [
      'a response that is a list',
      { ...reviewOf(right), response: [] },
      'json: cannot unmarshal array into Go struct field ConversionReview.response of type v1.ConversionResponse',
      true,
    ],
    [
      'a uid that is a number',
      { ...reviewOf(right), response: { uid: 5 } },
      'json: cannot unmarshal number into Go struct field ConversionResponse.response.uid of type types.UID',
      true,
    ],
    [
      'objects that are no list',
      { ...reviewOf(right), response: { uid: 'uid', convertedObjects: {} } },
      'json: cannot unmarshal object into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension',
      true,
    ],
    [
      'a result that is a word',
      { ...reviewOf(right), response: { uid: 'uid', result: 'Success' } },
      'json: cannot unmarshal string into Go struct field ConversionResponse.response.result of type v1.Status',
      true,
    ],
    [
      'a list',
      [],
      `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
      true,
    ],
  ];
  for (const [what, review, cause, complete] of others) {
    it(`is refused as a review of ${what}`, () => {
      expect(evaluateReview(review)).to.include({
        outcome: 'call-failure',
        text: `${of} failed: ${cause}`,
        complete,
      });
    });
  }

  const unread = 'unexpected error when reading response body. Please retry. Original error: ';
  for (const [what, over, cause] of [
    ['is cut short', { cutShort: true }, `${unread}unexpected EOF`],
    [
      'is compressed in name only',
      { headers: { 'content-encoding': 'gzip' } },
      `${unread}gzip: invalid header`,
    ],
    ['is no success', { status: 404 }, 'the server could not find the requested resource'],
  ] as const) {
    it(`is checked as HTTP first: a valid review that ${what}`, () => {
      expect(evaluateReview(reviewOf(right), over)).to.include({
        text: `${of} failed: ${cause}`,
        complete: true,
      });
    });
  }
});
