import { gzipSync } from 'node:zlib';

/** The parts of the request on which a response depends. */
export interface Got {
  readonly uid: string;
  readonly object: unknown;
  readonly request: unknown;
}

/** The response. */
export interface Sent {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** The connection is closed before the complete body is sent. */
  readonly cutShort?: true;
}

/** One response of a webhook, tested with a dry run. */
export interface ResponseCase {
  readonly name: string;
  readonly kind: 'mutating' | 'validating';
  readonly version: 'v1' | 'v1beta1';
  /** DELETE of a stored object; CREATE otherwise. */
  readonly operation?: 'DELETE';
  /** Default: 10. */
  readonly timeoutSeconds?: number;
  readonly answer: (got: Got) => Sent;
}

type Review = Readonly<Record<string, unknown>>;
const json = { 'content-type': 'application/json' };
const apiVersion = (version: string): string => `admission.k8s.io/${version}`;

/** A complete review that allows, with `response` merged. */
const review = (
  { uid }: Pick<Got, 'uid'>,
  response: object,
  over: Review = {},
  version: ResponseCase['version'] = 'v1',
): string =>
  JSON.stringify({
    apiVersion: apiVersion(version),
    kind: 'AdmissionReview',
    response: { uid, allowed: true, ...response },
    ...over,
  });

const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

type Kind = ResponseCase['kind'];
type Answer = ResponseCase['answer'];
const both = (name: string, answer: Answer): readonly ResponseCase[] =>
  (['validating', 'mutating'] as const).map((kind) => ({ name, kind, version: 'v1', answer }));
const only = (kind: Kind, name: string, answer: Answer): ResponseCase => ({
  name,
  kind,
  version: 'v1',
  answer,
});
/** Alternates between both kinds, if the kind does not matter. */
let turn = 0;
const either = (name: string, answer: Answer): ResponseCase =>
  only(turn++ % 2 === 0 ? 'validating' : 'mutating', name, answer);
const beta = (kind: Kind, name: string, answer: Answer): ResponseCase => ({
  name: `v1beta1 ${name}`,
  kind,
  version: 'v1beta1',
  answer,
});

const bodies: readonly (readonly [string, string | Buffer, string?])[] = [
  ['no body', ''],
  ['no body, text', '', 'text/plain'],
  ['a line feed', '\n'],
  ['blanks', '   '],
  ['ok', 'ok'],
  ['OK and a line feed', 'OK\n'],
  ['true', 'true'],
  ['yes', 'yes'],
  ['a number', '200'],
  ['a fraction', '1.5'],
  ['null', 'null'],
  ['a tilde', '~'],
  ['a quoted string', '"ok"'],
  ['a quoted date', '"2026-01-01"'],
  ['a list', '[]'],
  ['a list of maps', '[{"a": 1}]'],
  ['a YAML list', '- a\n- b\n'],
  ['Go’s 404 page', '404 page not found\n'],
  ['words with a colon', 'RBAC: access denied'],
  ['words with two colons', 'error: no such thing: policy'],
  ['HTML', '<html>\n<body><h1>It works!</h1></body>\n</html>\n', 'text/html'],
  ['HTML with a doctype', '<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n', 'text/html'],
  ['an empty object', '{}'],
  ['an object that is nothing', '{"allowed": true}'],
  ['half an object', '{"apiVersion": "admission.k8s.io/v1", "kind": "Admission'],
  ['an open object', '{"a": 1'],
  ['only a brace', '{'],
  ['an object and words', '{} // end'],
  ['two objects', '{}{}'],
  ['two objects in lines', '{"a": 1}\n{"b": 2}\n'],
  ['a trailing comma', '{"a": 1,}'],
  ['a trailing comma in a list', '{"a": [1,]}'],
  ['single quotes', "{'a': 1}"],
  ['a key without quotes', '{a: 1}'],
  ['a value without quotes', '{"a": allowed}'],
  ['a bad literal', '{"a": tru}'],
  ['another bad literal', '{"a": nil}'],
  ['yet another bad literal', '{"a": falsy}'],
  ['Python’s None', '{"a": None}'],
  ['NaN', '{"a": NaN}'],
  ['no colon', '{"a" 1}'],
  ['no comma', '{"a": 1 "b": 2}'],
  ['no comma in a list', '{"a": [1 2]}'],
  ['a line feed in a string', '{"a": "b\nc"}'],
  ['a bad escape', '{"a": "\\x41"}'],
  ['a bad unicode escape', '{"a": "\\u00g1"}'],
  ['a leading zero', '{"a": 01}'],
  ['a lonely minus', '{"a": -}'],
  ['a number with a bare point', '{"a": 1.}'],
  ['a number with a bare exponent', '{"a": 1e}'],
  ['a plus', '{"a": +1}'],
  ['a letter with two bytes', '{"a": é}'],
  ['a quote where none may be', '{"a": \'x\'}'],
  ['a zero byte', '{"a": \u0000}'],
  ['Go’s template mark', '{{ .Values }}'],
  ['a gzip that does not say so', gzipSync('{}')],
  ['control characters', '\u0001\u0002'],
  ['broken UTF-8', Buffer.from([0x6f, 0x6b, 0xff, 0xfe])],
  ['a tab at the start of YAML', '\tok'],
  ['a brace after blanks', '\n  {"a": }'],
  ['protobuf’s mark', 'k8s\u0000abc'],
];

const reviews: readonly (readonly [string, (got: Got) => string])[] = [
  ['allowed', (got) => review(got, {})],
  ['allowed, with a status', (got) => review(got, { status: { message: 'fine', code: 200 } })],
  ['with the request sent back', (got) => review(got, {}, { request: got.request })],
  ['with unknown fields', (got) => review(got, { more: 1 }, { more: [1] })],
  ['no response', (got) => review(got, {}, { response: undefined })],
  ['response null', (got) => review(got, {}, { response: null })],
  ['response an empty object', (got) => review(got, {}, { response: {} })],
  ['response in upper case', ({ uid }) => review({ uid }, {}, { response: undefined, Response: { uid } })],
  ['another uid', (got) => review(got, { uid: 'other' })],
  ['a uid with a quote', (got) => review(got, { uid: 'a"b\\c\u0001é' })],
  ['no uid', (got) => review(got, { uid: undefined })],
  ['uid null', (got) => review(got, { uid: null })],
  ['uid in upper case', ({ uid }) => review({ uid }, { uid: uid.toUpperCase() })],
  ['no apiVersion and kind', (got) => review(got, {}, { apiVersion: undefined, kind: undefined })],
  ['no apiVersion', (got) => review(got, {}, { apiVersion: undefined })],
  ['no kind', (got) => review(got, {}, { kind: undefined })],
  ['apiVersion empty', (got) => review(got, {}, { apiVersion: '' })],
  ['kind empty', (got) => review(got, {}, { kind: '' })],
  ['Kind in upper case', (got) => review(got, {}, { kind: undefined, Kind: 'AdmissionReview' })],
  ['another version', (got) => review(got, {}, { apiVersion: 'admission.k8s.io/v1beta1' })],
  ['a version that is none', (got) => review(got, {}, { apiVersion: 'admission.k8s.io/v2' })],
  ['a version without group', (got) => review(got, {}, { apiVersion: 'v1' })],
  ['another group', (got) => review(got, {}, { apiVersion: 'admission.example.com/v1' })],
  ['a version with two slashes', (got) => review(got, {}, { apiVersion: 'admission.k8s.io/v1/x' })],
  ['another kind', (got) => review(got, {}, { kind: 'AdmissionResponse' })],
  ['a kind in other letters', (got) => review(got, {}, { kind: 'admissionreview' })],
  [
    'a ConversionReview',
    (got) => review(got, {}, { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' }),
  ],
  ['a WatchEvent', (got) => review(got, {}, { kind: 'WatchEvent' })],
  ['apiVersion a number', (got) => review(got, {}, { apiVersion: 1 })],
  ['kind a list', (got) => review(got, {}, { kind: ['AdmissionReview'] })],
  ['both of a wrong type', (got) => review(got, {}, { kind: {}, apiVersion: true })],
  ['allowed a string', (got) => review(got, { allowed: 'true' })],
  ['allowed a number', (got) => review(got, { allowed: 1 })],
  ['allowed null', (got) => review(got, { allowed: null })],
  ['allowed missing', (got) => review(got, { allowed: undefined })],
  ['uid a number', (got) => review(got, { uid: 7 })],
  ['response a string', (got) => review(got, {}, { response: 'ok' })],
  ['response a list', (got) => review(got, {}, { response: [] })],
  ['status a string', (got) => review(got, { status: 'denied', allowed: false })],
  ['message a number', (got) => review(got, { status: { message: 42 }, allowed: false })],
  ['message a list', (got) => review(got, { status: { message: ['no'] }, allowed: false })],
  ['code a string', (got) => review(got, { status: { code: '403' }, allowed: false })],
  ['code a fraction', (got) => review(got, { status: { code: 403.5 }, allowed: false })],
  ['code too large', (got) => review(got, { status: { code: 4294967296 }, allowed: false })],
  ['details a list', (got) => review(got, { status: { details: [] }, allowed: false })],
  ['causes an object', (got) => review(got, { status: { details: { causes: {} } }, allowed: false })],
  ['a cause a string', (got) => review(got, { status: { details: { causes: ['x'] } }, allowed: false })],
  ['status metadata a string', (got) => review(got, { status: { metadata: 'x' }, allowed: false })],
  ['warnings a string', (got) => review(got, { warnings: 'careful' })],
  ['warnings of numbers', (got) => review(got, { warnings: [1] })],
  ['auditAnnotations a list', (got) => review(got, { auditAnnotations: [] })],
  ['auditAnnotations of booleans', (got) => review(got, { auditAnnotations: { a: true } })],
  ['auditAnnotations of objects', (got) => review(got, { auditAnnotations: { a: {} } })],
  ['two faults', (got) => review(got, { uid: 1, allowed: 2 })],
  [
    'two faults the other way',
    ({ uid }) =>
      `{"response":{"allowed":2,"uid":1},"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","x":"${uid}"}`,
  ],
  ['request a string', (got) => review(got, {}, { request: 'x' })],
  ['request with a wrong uid', (got) => review(got, {}, { request: { uid: 1 } })],
  ['request with a wrong name', (got) => review(got, {}, { request: { name: {}, kind: 'ConfigMap' } })],
  [
    'request with a wrong group',
    (got) => review(got, {}, { request: { userInfo: { groups: 'a', extra: { b: 'c' } } } }),
  ],
  ['request dryRun a string', (got) => review(got, {}, { request: { dryRun: 'true' } })],
  [
    'response twice',
    ({ uid }) =>
      `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"no"},"response":{"uid":"${uid}","allowed":true}}`,
  ],
  ['pretty', (got) => JSON.stringify(JSON.parse(review(got, {})), null, 4)],
  ['with a byte order mark', (got) => `\ufeff${review(got, {})}`],
  [
    'in YAML',
    ({ uid }) =>
      `apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse:\n  uid: ${uid}\n  allowed: true\n`,
  ],
  [
    'in YAML, denied',
    ({ uid }) =>
      `# no\napiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse:\n  uid: "${uid}"\n  allowed: no\n  status: {message: not today}\n`,
  ],
  [
    'escaped letters',
    ({ uid }) =>
      `{"apiVersion":"admission.k8s.io\\/v1","kind":"Admission\\u0052eview","response":{"uid":"${uid}","allowed":true}}`,
  ],
];

const denials: readonly (readonly [string, object | undefined])[] = [
  ['without a status', undefined],
  ['with an empty status', {}],
  ['with status null', null as unknown as object],
  ['with a message', { message: 'no' }],
  ['with a reason', { reason: 'Forbidden' }],
  ['with a reason of its own', { reason: 'NotToday' }],
  ['with a code', { code: 403 }],
  ['with code 200', { code: 200, message: 'no' }],
  ['with code 399', { code: 399 }],
  ['with code 0', { code: 0, message: '' }],
  ['with a negative code', { code: -1 }],
  ['with code 404 and reason', { code: 404, reason: 'NotFound', message: 'gone' }],
  ['with code 409', { code: 409, reason: 'Conflict', message: 'again' }],
  ['with code 422', { code: 422, reason: 'Invalid', message: 'spec.x: wrong' }],
  ['with code 429', { code: 429, reason: 'TooManyRequests', message: 'slow down' }],
  ['with code 500', { code: 500, reason: 'InternalError', message: 'oops' }],
  ['with code 503', { code: 503 }],
  ['with code 599', { code: 599, message: 'odd' }],
  ['with code 999', { code: 999, message: 'odder' }],
  ['with status Success', { status: 'Success', message: 'no' }],
  ['with status Failure', { status: 'Failure', message: 'no' }],
  ['with a status of its own', { status: 'Refused', message: 'no' }],
  [
    'with details',
    { message: 'no', code: 422, details: { kind: 'ConfigMap', causes: [{ message: 'x', field: 'data' }] } },
  ],
  ['with quotes and lines', { message: 'line "one"\nline two\t<b>&</b>' }],
  ['with letters of all sorts', { message: 'nein — ña 日本 🙅 \u0000\u001b[31m' }],
  ['with blanks', { message: '  ' }],
  ['with a long message', { message: 'x'.repeat(3000) }],
  ['with everything null', { message: null, reason: null, code: null, status: null }],
];

const warnings: readonly (readonly [string, readonly (string | null)[]])[] = [
  ['one', ['careful']],
  ['the same twice', ['careful', 'careful', 'really']],
  ['an empty one', ['', 'b']],
  ['null among them', [null, 'b']],
  ['a line feed in one', ['two\nlines', 'one']],
  ['a quote in one', ['say "no" \\ never']],
  ['letters of all sorts', ['ñandú 日本 🙅']],
  ['exactly 4096', ['x'.repeat(4096)]],
  ['4097', ['x'.repeat(4097)]],
  ['one over 256 among 4096', ['x'.repeat(300), 'y'.repeat(3796)]],
  ['two that are too much', ['x'.repeat(4000), 'y'.repeat(200)]],
  ['many that are too much', Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(298)}`)],
  ['short after too much', ['x'.repeat(5000), 'short']],
];

const statuses: readonly (readonly [number, string, string?, Readonly<Record<string, string>>?])[] = [
  ...[
    400, 401, 404, 405, 408, 409, 410, 413, 418, 422, 423, 429, 431, 499, 500, 501, 502, 503, 504, 505, 520,
  ].map((status) => [status, 'said so', 'text/plain'] as const),
  [403, 'RBAC: access denied', 'text/plain'],
  [403, '', 'text/plain'],
  [403, ' \n no \n', 'text/html; charset=utf-8'],
  [403, '{"error":"no"}', 'application/json'],
  [403, 'no content type', ''],
  [403, 'é'.repeat(1500), 'text/plain'],
  [406, 'not that', 'text/plain'],
  [406, '', 'text/plain'],
  [406, 'x', 'application/json'],
  [406, 'unknown', 'text/plain'],
  [415, 'invalid Content-Type, want `application/json`', 'text/plain; charset=utf-8'],
  [415, '', ''],
  [500, '', 'text/plain'],
  [500, '', ''],
  [500, '{"error": "no"}', 'application/json'],
  [500, 'a "quote"\n\tand <tags>', 'text/plain'],
  [500, 'x'.repeat(3000), 'text/plain'],
  [500, 'ñ 日本 🙅\u0007\u00a0', 'TEXT/PLAIN'],
  [500, 'é'.repeat(1025), 'text/plain'],
  [500, `x${'é'.repeat(1025)}`, 'text/plain'],
  [502, '<html><body>Bad Gateway</body></html>', 'text/html'],
  [207, '{}', 'application/json'],
  [226, '{}', 'application/json'],
  [300, 'choose', 'text/plain'],
  [301, 'moved, not told where', 'text/plain'],
  [304, '', ''],
  [307, 'moved, not told where', 'text/plain'],
  [305, 'proxy', 'text/plain', { location: 'https://203.0.113.9/' }],
  [202, 'ok', 'text/plain'],
  [204, '', ''],
  [205, '', ''],
  [206, '{}', 'application/json'],
  [500, 'x', 'text/plain;'],
  [500, 'x', 'text/plain; charset'],
  [500, 'x', '/'],
  [429, 'x', 'text/plain', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }],
  [404, 'x', 'text/plain', { 'retry-after': '1' }],
  [503, 'x', 'text/plain', { 'retry-after': 'soon' }],
];

const status = (over: Review): string =>
  JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: 'told so',
    code: 418,
    ...over,
  });
const statusBodies: readonly (readonly [string, number, string])[] = [
  ['a Status', 500, status({})],
  ['a Status without code', 503, status({ code: undefined })],
  ['a Status without apiVersion', 404, status({ apiVersion: undefined })],
  ['a Status of another group', 404, status({ apiVersion: 'meta.k8s.io/v1' })],
  ['a Status without kind', 400, status({ kind: undefined })],
  ['a Status with Success', 500, status({ status: 'Success' })],
  ['a Status without status', 500, status({ status: undefined })],
  ['a Status without message', 403, status({ message: undefined })],
  ['a Status with a wrong message', 403, status({ message: 1 })],
  ['a Status in YAML', 500, 'kind: Status\nstatus: Failure\nmessage: told so\n'],
  ['a Status with reason only', 500, status({ message: undefined, reason: 'Expired' })],
  ['an AdmissionReview', 500, JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' })],
  ['a Status', 200, status({})],
  ['a Status with Success', 200, status({ status: 'Success' })],
  ['a Status without apiVersion', 200, status({ apiVersion: undefined })],
];

const contentTypes = [
  'text/plain',
  'application/octet-stream',
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
  'application/json; charset=utf-8',
  'application/json; charset="utf-8"',
  'application/json;',
  'application/json; ',
  'application/json; charset',
  'application/json; charset=',
  'application/json charset=utf-8',
  'application/json; charset=utf-8; charset=latin1',
  'application/json; charset=utf-8; charset=utf-8',
  'json',
  '/json',
  'application/',
  'application/json/x',
  'application/json, text/plain',
  '{}',
  'a b',
];

const operation = (op: string, path: unknown, value?: unknown, from?: unknown): object => ({
  op,
  ...(path === undefined ? {} : { path }),
  ...(value === undefined ? {} : { value }),
  ...(from === undefined ? {} : { from }),
});
/** The annotations repeatedly receive copies of all metadata. */
const doubling = (first: object): readonly object[] => [
  operation('add', '/metadata/annotations', first),
  ...Array.from({ length: 40 }, (_, index) =>
    operation('copy', `/metadata/copy${index}`, undefined, '/metadata'),
  ),
];

/** The object has labels, data `a: b`, `n: "1"`, `h: <b>` and no annotations. */
const patches: readonly (readonly [string, unknown])[] = [
  ['add', [operation('add', '/data/x', 'y')]],
  ['add to what is not there', [operation('add', '/metadata/annotations/x', 'y')]],
  ['add a map', [operation('add', '/metadata/annotations', { x: 'y' })]],
  ['add with a slash', [operation('add', '/metadata/labels/example.com~1x', 'y')]],
  ['add with a tilde', [operation('add', '/metadata/x~0y~01z', '')]],
  ['add under a string', [operation('add', '/data/a/b', 'x')]],
  ['add without value', [operation('add', '/data/x')]],
  ['add null', [operation('add', '/data/x', null)]],
  ['add without path', [operation('add', undefined, 'x')]],
  ['add with an empty path', [operation('add', '', {})]],
  ['add without a leading slash', [operation('add', 'data/x', 'y')]],
  ['add without any slash', [operation('add', 'data', {})]],
  ['add with a path that is a number', [operation('add', 1, 'y')]],
  ['add a number as label', [operation('add', '/metadata/labels/x', 1)]],
  ['add a boolean as annotation', [operation('add', '/metadata/annotations', { x: true })]],
  ['add a list as labels', [operation('add', '/metadata/labels', ['x'])]],
  ['add a number as data', [operation('add', '/data/x', 1)]],
  ['add an object as data', [operation('add', '/data/x', {})]],
  ['add binaryData that is none', [operation('add', '/binaryData', { x: 'no!' })]],
  ['add binaryData', [operation('add', '/binaryData', { x: 'bm8=' })]],
  ['add immutable as a string', [operation('add', '/immutable', 'true')]],
  ['add an owner that is a string', [operation('add', '/metadata/ownerReferences', ['x'])]],
  ['add a field that is none', [operation('add', '/spec', { x: 1 })]],
  [
    'add to a list',
    [operation('add', '/metadata/finalizers', ['a/b']), operation('add', '/metadata/finalizers/-', 'c/d')],
  ],
  [
    'add at the start of a list',
    [operation('add', '/metadata/finalizers', ['a/b']), operation('add', '/metadata/finalizers/0', 'c/d')],
  ],
  [
    'add at -1 of a list',
    [operation('add', '/metadata/finalizers', ['a/b']), operation('add', '/metadata/finalizers/-1', 'c/d')],
  ],
  [
    'add past the end of a list',
    [operation('add', '/metadata/finalizers', ['a/b']), operation('add', '/metadata/finalizers/5', 'c/d')],
  ],
  [
    'add far before a list',
    [operation('add', '/metadata/finalizers', ['a/b']), operation('add', '/metadata/finalizers/-9', 'c/d')],
  ],
  [
    'add at a word of a list',
    [operation('add', '/metadata/finalizers', ['a/b']), operation('add', '/metadata/finalizers/x', 'c/d')],
  ],
  ['remove', [operation('remove', '/data/a')]],
  ['remove what is not there', [operation('remove', '/data/none')]],
  ['remove under what is not there', [operation('remove', '/metadata/annotations/none')]],
  [
    'remove from a list',
    [
      operation('add', '/metadata/finalizers', ['a/b', 'c/d']),
      operation('remove', '/metadata/finalizers/-1'),
    ],
  ],
  [
    'remove past the end of a list',
    [operation('add', '/metadata/finalizers', ['a/b']), operation('remove', '/metadata/finalizers/1')],
  ],
  [
    'remove a word of a list',
    [operation('add', '/metadata/finalizers', ['a/b']), operation('remove', '/metadata/finalizers/x')],
  ],
  ['remove without path', [operation('remove', undefined)]],
  ['remove the kind', [operation('remove', '/kind')]],
  ['remove all data', [operation('remove', '/data')]],
  ['replace', [operation('replace', '/data/a', 'c')]],
  ['replace what is not there', [operation('replace', '/data/none', 'c')]],
  ['replace under what is not there', [operation('replace', '/metadata/annotations/none', 'c')]],
  [
    'replace past the end of a list',
    [
      operation('add', '/metadata/finalizers', ['a/b']),
      operation('replace', '/metadata/finalizers/1', 'c/d'),
    ],
  ],
  [
    'replace in a list',
    [
      operation('add', '/metadata/finalizers', ['a/b']),
      operation('replace', '/metadata/finalizers/0', 'c/d'),
    ],
  ],
  ['replace without path', [operation('replace', undefined, 'x')]],
  ['replace a path that is a list', [operation('replace', [], 'x')]],
  ['replace all by a word', [operation('replace', '', 'x')]],
  ['replace all by nothing', [operation('replace', '', null)]],
  ['replace all by a list', [operation('replace', '', [])]],
  ['replace all by an empty object', [operation('replace', '', {})]],
  ['replace all by another object', [operation('replace', '', { metadata: { name: 'other' } })]],
  ['replace all by an object without a name', [operation('replace', '', { data: { a: 'c' } })]],
  ['replace the metadata by nothing', [operation('replace', '/metadata', {})]],
  ['remove the name', [operation('remove', '/metadata/name')]],
  ['add all', [operation('add', '', {})]],
  ['add at a slash', [operation('add', '/', {})]],
  ['remove all', [operation('remove', '')]],
  ['remove at a slash', [operation('remove', '/')]],
  ['test all', [operation('test', '', {})]],
  ['copy to all', [operation('copy', '', undefined, '/data')]],
  ['move all', [operation('move', '/data/x', undefined, '')]],
  ['replace the kind', [operation('replace', '/kind', 'Secrets')]],
  ['replace the namespace', [operation('replace', '/metadata/namespace', 'elsewhere')]],
  ['replace the version', [operation('replace', '/apiVersion', 'v2')]],
  ['replace the version by a number', [operation('replace', '/apiVersion', 1)]],
  ['move', [operation('move', '/data/x', undefined, '/data/a')]],
  ['move what is not there', [operation('move', '/data/x', undefined, '/data/none')]],
  ['move from under what is not there', [operation('move', '/data/x', undefined, '/none/a')]],
  ['move to under what is not there', [operation('move', '/none/x', undefined, '/data/a')]],
  ['move without from', [operation('move', '/data/x')]],
  ['move without path', [operation('move', undefined, undefined, '/data/a')]],
  ['copy', [operation('copy', '/data/x', undefined, '/data/a')]],
  ['copy what is not there', [operation('copy', '/data/x', undefined, '/data/none')]],
  ['copy from under what is not there', [operation('copy', '/data/x', undefined, '/none/a')]],
  ['copy to under what is not there', [operation('copy', '/none/x', undefined, '/data/a')]],
  ['copy without from', [operation('copy', '/data/x')]],
  ['copy without path', [operation('copy', undefined, undefined, '/data/a')]],
  ['copy a map', [operation('copy', '/metadata/annotations', undefined, '/data')]],
  // 3 MiB of copies are the limit; each step copies everything that was copied before.
  ['copy what grows', doubling({ a: 'x'.repeat(1000) })],
  ['copy what grows, in letters that take more bytes', doubling({ 'é<>&': '<b>é\u2028&\u{1f600}\u0007"' })],
  ['copy less than too much', doubling({ a: 'x' }).slice(0, 5)],
  ['test', [operation('test', '/data/a', 'b')]],
  ['test another value', [operation('test', '/data/a', 'c')]],
  ['test a number for its text', [operation('test', '/data/n', 1)]],
  ['test what is not there', [operation('test', '/data/none', 'x')]],
  ['test that it is not there', [operation('test', '/data/none', null)]],
  ['test that it is not there, without value', [operation('test', '/data/none')]],
  ['test under what is not there', [operation('test', '/none/none', 'x')]],
  ['test tags', [operation('test', '/data/h', '<b>')]],
  ['test a map', [operation('test', '/data', { n: '1', a: 'b', h: 'x' })]],
  ['test a map in other order', [operation('test', '/metadata/labels', { case: 'x' })]],
  ['test the kind', [operation('test', '/kind', 'Secret')]],
  ['test without path', [operation('test', undefined, 'x')]],
  [
    'test a past index',
    [operation('add', '/metadata/finalizers', ['a/b']), operation('test', '/metadata/finalizers/3', 'x')],
  ],
  ['an operation that is none', [operation('explode', '/data/a')]],
  ['an operation in upper case', [operation('ADD', '/data/x', 'y')]],
  ['no operation', [{ path: '/data/a', value: 'x' }]],
  ['an operation that is a number', [{ op: 1, path: '/data/a' }]],
  ['an operation that is null', [null]],
  ['a step that is a word', ['x']],
  ['a step that is a list', [[]]],
  ['no steps', []],
  ['null', null],
  ['a merge patch', { data: { a: 'c' } }],
  ['a word', '"x"'],
  ['a number', '7'],
  ['true', 'true'],
  ['no JSON', 'no json'],
  ['half a list', '[{"op": "add"'],
  ['a good step, then a bad one', [operation('add', '/data/x', 'y'), operation('remove', '/data/none')]],
];

const patch =
  (value: unknown, over: object = {}): Answer =>
  (got) => ({ headers: json, body: review(got, { patch: base64(value), patchType: 'JSONPatch', ...over }) });
const good = [operation('add', '/data/x', 'y')];

const patchRules: readonly ResponseCase[] = [
  only('mutating', 'a patch without patchType', patch(good, { patchType: undefined })),
  only('mutating', 'a patch with patchType null', patch(good, { patchType: null })),
  only('mutating', 'a patchType without patch', patch(good, { patch: undefined })),
  only('mutating', 'a patchType with an empty patch', patch(good, { patch: '' })),
  only('mutating', 'an empty patchType', patch(good, { patchType: '' })),
  only('mutating', 'a patchType of merge patches', patch(good, { patchType: 'MergePatch' })),
  only('mutating', 'a merge patch that says so', patch({ data: null }, { patchType: 'MergePatch' })),
  only('mutating', 'a patchType in lower case', patch(good, { patchType: 'jsonpatch' })),
  only('mutating', 'a patchType that is a number', patch(good, { patchType: 1 })),
  only('mutating', 'an empty list of another type', patch([], { patchType: 'MergePatch' })),
  only('mutating', 'a patch that is no base64', patch(good, { patch: '[{"op":"add"}]' })),
  only('mutating', 'a patch that is base64 with a blank', patch(good, { patch: 'W1 0=' })),
  only('mutating', 'a patch that is base64 in lines', patch(good, { patch: 'W1\n0=\n' })),
  only('mutating', 'a patch whose base64 is cut', patch(good, { patch: 'W10' })),
  only('mutating', 'a patch whose base64 is cut at one digit', patch(good, { patch: 'W10=W' })),
  only('mutating', 'a patch with too much padding', patch(good, { patch: 'W10==' })),
  only('mutating', 'a patch with half the padding', patch(good, { patch: 'Ww=' })),
  only('mutating', 'a patch for URLs', patch(good, { patch: 'W-_=' })),
  only('mutating', 'a patch as a JSON list', patch(good, { patch: good })),
  only('mutating', 'a patch as an object', patch(good, { patch: {} })),
  only('mutating', 'a patch as a number', patch(good, { patch: 1 })),
  only('mutating', 'a patch as numbers', patch(good, { patch: [91, 93] })),
  only('mutating', 'a patch as numbers that are no bytes', patch(good, { patch: [91, 300] })),
  only('mutating', 'a patch as words', patch(good, { patch: ['['] })),
  only('mutating', 'an empty list as patch', patch(good, { patch: [] })),
  only('mutating', 'a denial with a patch', patch(good, { allowed: false, status: { message: 'no' } })),
  only('mutating', 'a denial with a bad patch', patch('x', { allowed: false, patchType: undefined })),
  only('validating', 'a patch of a validating webhook', patch(good)),
  only('validating', 'a patchType of a validating webhook', patch(good, { patch: undefined })),
  only(
    'validating',
    'an empty patch of a validating webhook',
    patch(good, { patch: '', patchType: undefined }),
  ),
  only('validating', 'an empty patchType of a validating webhook', patch(good, { patch: '', patchType: '' })),
  { ...only('mutating', 'a patch on DELETE', patch(good)), operation: 'DELETE' },
  { ...only('mutating', 'an empty patch on DELETE', patch([])), operation: 'DELETE' },
  {
    ...only('mutating', 'a patch of another type on DELETE', patch(good, { patchType: 'MergePatch' })),
    operation: 'DELETE',
  },
  {
    ...only('validating', 'a denial on DELETE', (got) => ({
      headers: json,
      body: review(got, { allowed: false }),
    })),
    operation: 'DELETE',
  },
];

const betaPatch =
  (value: unknown, over: object = {}): Answer =>
  (got) => ({
    headers: json,
    body: review(got, { patch: base64(value), ...over }, {}, 'v1beta1'),
  });
const betas: readonly ResponseCase[] = [
  beta('validating', 'allowed', (got) => ({ headers: json, body: review(got, {}, {}, 'v1beta1') })),
  beta('mutating', 'without uid', (got) => ({
    headers: json,
    body: review(got, { uid: undefined }, {}, 'v1beta1'),
  })),
  beta('validating', 'with another uid', (got) => ({
    headers: json,
    body: review(got, { uid: 'x' }, {}, 'v1beta1'),
  })),
  beta('validating', 'without apiVersion and kind', (got) => ({
    headers: json,
    body: review(got, {}, { apiVersion: undefined, kind: undefined }),
  })),
  beta('mutating', 'answered in v1', (got) => ({ headers: json, body: review(got, {}) })),
  beta('mutating', 'without response', (got) => ({
    headers: json,
    body: review(got, {}, { response: null }, 'v1beta1'),
  })),
  beta('validating', 'denied', (got) => ({
    headers: json,
    body: review(got, { allowed: false, status: { message: 'no' }, warnings: ['old'] }, {}, 'v1beta1'),
  })),
  beta('validating', 'nothing at all', () => ({ headers: json, body: '{}' })),
  beta('mutating', 'allowed a string', (got) => ({
    headers: json,
    body: review(got, { allowed: 'yes' }, {}, 'v1beta1'),
  })),
  beta('mutating', 'patchType a number', betaPatch(good, { patchType: 1 })),
  beta('mutating', 'a patch without patchType', betaPatch(good)),
  beta('mutating', 'a patch of another type', betaPatch(good, { patchType: 'MergePatch' })),
  beta(
    'mutating',
    'a patchType without patch',
    betaPatch(good, { patch: undefined, patchType: 'JSONPatch' }),
  ),
  beta('mutating', 'a patch that is none', betaPatch({ a: 1 })),
  beta('validating', 'a patch of a validating webhook', betaPatch(good, { patchType: 'JSONPatch' })),
  beta('validating', 'a Status', () => ({ headers: json, body: status({}) })),
];

const plain = (got: Got): string => review(got, {});
const transport: readonly ResponseCase[] = [
  either('compressed', (got) => ({
    headers: { ...json, 'content-encoding': 'gzip' },
    body: gzipSync(plain(got)),
  })),
  either('compressed in name only', (got) => ({
    headers: { ...json, 'content-encoding': 'gzip' },
    body: plain(got),
  })),
  either('another encoding', (got) => ({ headers: { ...json, 'content-encoding': 'br' }, body: plain(got) })),
  either('cut short', (got) => ({ headers: json, body: plain(got), cutShort: true })),
  either('a 500 cut short', () => ({ status: 500, headers: json, body: 'x', cutShort: true })),
  either('without a content type', (got) => ({ body: plain(got) })),
  either('101', () => ({ status: 101, headers: json, body: '' })),
  either('201', (got) => ({ status: 201, headers: json, body: plain(got) })),
  either('206', (got) => ({ status: 206, headers: json, body: plain(got) })),
  either('207', (got) => ({ status: 207, headers: json, body: plain(got) })),
  either('a good review with 400', (got) => ({ status: 400, headers: json, body: plain(got) })),
  either('a good review with 500', (got) => ({ status: 500, headers: json, body: plain(got) })),
  either('a denial with 403', (got) => ({
    status: 403,
    headers: json,
    body: review(got, { allowed: false }),
  })),
];

/** Responses that are the same for every request: the first, and those that follow from it. */
const repeated: readonly ResponseCase[] = [
  ...[301, 302, 303, 307, 308].map((code) =>
    either(`a ${code} to itself`, () => ({ status: code, headers: { location: '?again' }, body: '' })),
  ),
  either('a 307 with a body', () => ({
    status: 307,
    headers: { location: '?a=b', 'content-type': 'text/plain' },
    body: 'moved',
  })),
  ...[
    [503, '0', 10],
    [429, '0', 10],
    [500, '0', 10],
    [503, '1', 2],
    [429, '60', 1],
    [502, '-1', 10],
  ].map(([code, wait, timeoutSeconds]) => ({
    ...either(`a ${code} with Retry-After: ${wait} in ${timeoutSeconds} s`, () => ({
      status: Number(code),
      headers: { 'retry-after': String(wait), 'content-type': 'text/plain' },
      body: 'busy',
    })),
    timeoutSeconds: Number(timeoutSeconds),
  })),
];

/** All cases; the API server runs each of them. */
export const responseCases: readonly ResponseCase[] = [
  ...bodies.map(([name, body, type]) =>
    either(`body: ${name}`, () => ({ headers: { 'content-type': type ?? 'application/json' }, body })),
  ),
  ...reviews.flatMap(([name, body]) =>
    both(`review: ${name}`, (got) => ({ headers: json, body: body(got) })),
  ),
  ...denials.flatMap(([name, sent]) =>
    both(`denial ${name}`, (got) => ({ headers: json, body: review(got, { allowed: false, status: sent }) })),
  ),
  ...warnings.flatMap(([name, sent]) => [
    either(`warnings: ${name}`, (got) => ({ headers: json, body: review(got, { warnings: sent }) })),
    either(`warnings of a denial: ${name}`, (got) => ({
      headers: json,
      body: review(got, { warnings: sent, allowed: false }),
    })),
  ]),
  ...statuses.map(([code, body, type, headers], index) =>
    either(`HTTP ${code} #${index}`, () => ({
      status: code,
      headers: { ...(type === '' ? {} : { 'content-type': type ?? 'text/plain' }), ...headers },
      body,
    })),
  ),
  ...statusBodies.map(([name, code, body]) =>
    either(`HTTP ${code}, ${name}`, () => ({ status: code, headers: json, body })),
  ),
  ...contentTypes.map((type) =>
    either(`content type ${type}`, (got) => ({ headers: { 'content-type': type }, body: plain(got) })),
  ),
  ...patches.map(([name, value]) => only('mutating', `patch: ${name}`, patch(value))),
  ...patchRules,
  ...betas,
  ...transport,
  ...repeated,
];
