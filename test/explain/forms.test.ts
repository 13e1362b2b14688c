import { expect } from 'chai';
import { explainTexts } from '../../src/explain/explain.ts';
import { causesOf } from '../../src/workflows/explain.ts';

const texts = (input: string) => explainTexts(input, causesOf).texts;

/** Class, meaning, names and causes, without the text itself and its commands. */
const explained = (input: string) =>
  texts(input).map(({ text: _text, commands: _commands, ...rest }) => rest);

const call = (end: string): string =>
  `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": ${end}`;

const errors = [
  call('service "policy" not found'),
  call('no endpoints available for service "policy"'),
  call('dial tcp 203.0.113.10:443: connect: connection refused'),
  call('context deadline exceeded'),
  call('EOF'),
  call('Internal Server Error'),
  call('Address is not allowed'),
  call('x509: certificate is valid for a.shop.svc, not policy.shop.svc'),
  call(
    'x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "policy-ca")',
  ),
  'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: the server could not find the requested resource',
  'conversion webhook for example.com/v1beta1, Kind=Widget failed: Post "https://policy.shop.svc:443/convert?timeout=30s": service "policy" not found',
];

const wrapped = (text: string, width: number): string =>
  text.replace(new RegExp(`(.{${width}})(?=.)`, 'g'), '$1\n');
const folded = (text: string, indent: string): string => text.replace(/(.{1,70}) (?=\S)/g, `$1\n${indent}`);

const forms: Readonly<Record<string, (text: string) => string>> = {
  'in a terminal of 80 columns': (text) => wrapped(text, 80),
  'in a terminal of 120 columns': (text) => wrapped(text, 120),
  'wrapped between words': (text) => folded(text, '    '),
  'in a klog line': (text) =>
    `E0101 07:12:04.950651       1 controller.go:324] "Reconciler error" err=${JSON.stringify(folded(text, '  '))} controller="widget"`,
  'in logfmt': (text) =>
    `time="2026-01-01T00:00:00Z" level=error msg=${JSON.stringify(text)} source="a.go:1"`,
  'in JSON': (text) => JSON.stringify({ level: 'error', msg: 'Reconciler error', error: text }),
  'escaped twice': (text) => JSON.stringify(JSON.stringify(text)),
  'from make': (text) => `$ kubectl apply -f a.yaml\n${text}\nmake: *** [Makefile:12: deploy] Error 1`,
  'from Argo CD': (text) =>
    `one or more objects failed to apply, reason: ${text}. Retrying attempt #5 at 8:31AM.`,
  'from Helm': (text) => `Error: UPGRADE FAILED: failed to create resource: ${text}`,
  'from Terraform': (text) => `╷\n│ Error: 1 error occurred:\n│ \t* ${text}\n│ \n│   with helm_release.a,\n╵`,
  'in a table': (text) => `| error | ${text} |`,
  'in a YAML string of PyYAML': (text) =>
    `message: ${JSON.stringify(text).replace(/(.{1,70}) (?=\S)/g, '$1\\\n    \\ ')}`,
  'in a cell of a CSV file': (text) => `"${text.replaceAll('"', '""')}"`,
  'with Unicode escapes': (text) =>
    text.replace(/["&<>]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  'with tabs': (text) => text.replaceAll(' ', '\t'),
  'with several spaces': (text) => text.replaceAll(' ', '   '),
  'with characters without a width': (text) => text.replaceAll('.', '.\u200b'),
  'with colons of East Asian scripts': (text) => text.replaceAll(': ', '：'),
  'with typographic quotes': (text) => text.replace(/"([^"]*)"/g, '“$1”'),
  'with single quotes': (text) => text.replaceAll('"', "'"),
};

describe('explain and second forms of a text', () => {
  for (const [name, form] of Object.entries(forms))
    it(`explains errors ${name}`, () => {
      // They show what requests the object, which changes the order of the causes.
      const read = (text: string) =>
        /from (?:Helm|Terraform)/.test(name) ? explained(text).map(({ means }) => means) : explained(text);
      for (const error of errors) expect(read(form(error)), form(error)).to.deep.equal(read(error));
    });

  it('names no cause that a cut text does not show', () => {
    const whole = new Map(
      errors.map((error) => [error, new Set(explained(error).map(({ means }) => means))]),
    );
    for (const [error, means] of whole)
      for (let end = error.indexOf(': ') + 2; end < error.length; end += 1)
        for (const text of texts(error.slice(0, end)))
          if (!means.has(text.means) && !/text ends before|does not know/.test(text.means))
            expect(text.link, error.slice(0, end)).to.equal(texts(error)[0]?.link);
  });

  it('reads a timeout in a URL as a parameter of the call', () => {
    const [text] = texts(
      call('dial tcp 203.0.113.10:443: connect: connection denied').replace('10s', '10 seconds'),
    );
    expect(text?.means).to.not.include('timeout');
  });

  it('prefers slow Pods to a firewall if the server saw a connection', () => {
    const server = 'http: TLS handshake error from 198.51.100.7:57528: EOF';
    const waits =
      'I0315 01:14:05.2 1 request.go:665] Waited for 1m52.8s due to client-side throttling, not priority';
    expect(texts(call('context deadline exceeded'))[0]?.causes[0]?.check).to.equal('firewall-target-port');
    for (const log of [server, waits])
      expect(texts(`${log}\n${call('context deadline exceeded')}`)[0]?.causes[0]?.check).to.equal(
        'response-slow',
      );
  });

  it('lists the deadlock of a Pod that a webhook without its path refuses', () => {
    const refused = `Error creating: ${errors.at(-2)}`;
    expect(texts(refused)[0]?.causes.map(({ check }) => check)).to.include('bootstrap-deadlock');
    expect(texts(errors.at(-2) ?? '')[0]?.causes.map(({ check }) => check)).to.not.include(
      'bootstrap-deadlock',
    );
  });
});
