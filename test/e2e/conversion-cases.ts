/** A conversion that the API server makes for the read of a stored object. */
export interface ConversionCase {
  /** Of the object; if doctor runs too, of a separate group: `NAME.example.com`. */
  readonly name: string;
  readonly says: string;
  readonly answer: (asked: Asked) => Sent;
  /** The response redirects: only a real call shows the result. */
  readonly elsewhere?: true;
  /** Doctor runs too, and reads a stored object itself. */
  readonly doctor?: true;
}

/** The request that the webhook received. */
export interface Asked {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly object: Converted;
  /** `https://ADDRESS:PORT` of a server that responds, and of one that refuses. */
  readonly live: string;
  readonly dead: string;
}

export interface Converted {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The response. */
export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = { 'content-type': 'application/json' };
const review = (uid: string, response: object): Sent => ({
  status: 200,
  headers: json,
  body: JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: { uid, ...response },
  }),
});

const objects =
  (change: (right: Converted, asked: Asked) => readonly unknown[]): ConversionCase['answer'] =>
  (asked) => {
    const right = { ...asked.object, apiVersion: asked.desiredAPIVersion };
    return review(asked.uid, { result: { status: 'Success' }, convertedObjects: change(right, asked) });
  };
const metadata = (over: object): ConversionCase['answer'] =>
  objects((right) => [{ ...right, metadata: { ...right.metadata, ...over } }]);
const labels = (value: unknown): ConversionCase['answer'] => metadata({ labels: value });
const annotations = (value: unknown): ConversionCase['answer'] => metadata({ annotations: value });
const sent =
  (status: number, headers: Readonly<Record<string, string>>, body = ''): ConversionCase['answer'] =>
  () => ({ status, headers, body });
const to =
  (status: number, place: (asked: Asked) => string): ConversionCase['answer'] =>
  (asked) => ({ status, headers: { location: place(asked) }, body: '' });

const known: readonly (readonly [string, ConversionCase['answer']])[] = [
  ['the same object', metadata({})],
  ['a good label more', labels({ 'example.com/Team': 'A.b_c-1', empty: '' })],
  ['a good annotation more', annotations({ 'EXAMPLE.com/Note': 'any text\n' })],
  ['a label key with a blank', labels({ 'a b': 'c' })],
  ['a label key in no alphabet', labels({ ключ: 'c' })],
  ['an empty label key', labels({ '': 'c' })],
  ['a label key of 64 letters', labels({ ['k'.repeat(64)]: 'c' })],
  ['a label key of 64 dashes', labels({ ['-'.repeat(64)]: 'c' })],
  ['a label key with two slashes', labels({ 'a/b/c': 'd' })],
  ['a label key without a prefix before its slash', labels({ '/b': 'c' })],
  ['a label key without a name behind its slash', labels({ 'example.com/': 'c' })],
  ['a label key whose prefix is in capitals', labels({ 'EXAMPLE.com/b': 'c' })],
  ['a label key whose prefix is long', labels({ [`${'p'.repeat(254)}/b`]: 'c' })],
  ['a label value with a dash in front', labels({ a: '-no-' })],
  ['a label value of 64 letters', labels({ a: 'v'.repeat(64) })],
  ['a label key and its value that are none', labels({ 'a b': 'c d' })],
  ['two label keys that are none', labels({ 'a b': 'c', 'd e': 'f' })],
  ['the same fault twice', labels({ a: '-no-', b: '-no-' })],
  ['a label that is a number', labels({ a: 1 })],
  ['labels that are a list', labels([])],
  ['no labels', labels(null)],
  ['an annotation key with a blank', annotations({ 'a b': 'c' })],
  ['an annotation key in capitals with a blank', annotations({ 'A B': 'c' })],
  ['too many annotations', annotations({ a: 'x'.repeat(256 * 1024) })],
  ['another name', metadata({ name: 'two' })],
  ['no name', metadata({ name: undefined })],
  ['another namespace', metadata({ namespace: 'elsewhere' })],
  ['another uid', metadata({ uid: 'other' })],
  ['no uid', metadata({ uid: undefined })],
  ['no metadata', objects((right) => [{ ...right, metadata: undefined }])],
  ['another kind', objects((right) => [{ ...right, kind: 'Other' }])],
  ['no kind', objects((right) => [{ ...right, kind: undefined }])],
  ['the version that it had', objects((_, { object }) => [object])],
  ['a version that is none', objects((right) => [{ ...right, apiVersion: 'z/v1' }])],
  ['nothing', objects(() => [])],
  ['two objects', objects((right) => [right, right])],
  ['null', objects(() => [null])],
  ['a word', objects(() => ['x'])],
  ['a failure', ({ uid }) => review(uid, { result: { status: 'Failed', message: 'cannot convert that' } })],
  ['a failure without words', ({ uid }) => review(uid, { result: { status: 'Failed' } })],
  ['another review', () => review('other', { result: { status: 'Success' }, convertedObjects: [] })],
  ['an empty body', sent(200, json)],
  ['a page', sent(200, { 'content-type': 'text/html' }, '<html><body>hello</body></html>')],
  ['404', sent(404, { 'content-type': 'text/plain' }, '404 page not found\n')],
  ['500', sent(500, { 'content-type': 'text/plain' }, 'oh no')],
];

const elsewhere: readonly (readonly [string, ConversionCase['answer']])[] = [
  ['a 302 to where nobody is', to(302, ({ dead }) => `${dead}/elsewhere`)],
  ['a 302 to a page', to(302, ({ live }) => `${live}/page`)],
  ['a 307 to where nobody is', to(307, ({ dead }) => `${dead}/elsewhere`)],
  ['a 307 to a page', to(307, ({ live }) => `${live}/page`)],
  ['a 307 to one that converts', to(307, ({ live }) => `${live}/converts`)],
  ['a 308 to itself', to(308, () => '?again')],
];

/** Cases with data that no probe has, and some simple ones. */
const asked: readonly string[] = [
  'the same object',
  'a label key with a blank',
  'another name',
  'no name',
  'another uid',
  'the version that it had',
  'a word',
  '500',
];

/** All cases; the API server runs each of them. */
export const conversionCases: readonly ConversionCase[] = [
  ...known.map(
    ([says, answer], index): ConversionCase => ({
      name: `c${index}`,
      says,
      answer,
      ...(asked.includes(says) ? { doctor: true } : {}),
    }),
  ),
  ...elsewhere.map(
    ([says, answer], index): ConversionCase => ({
      name: `e${index}`,
      says,
      answer,
      elsewhere: true,
      doctor: true,
    }),
  ),
];
