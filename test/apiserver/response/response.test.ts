import { expect } from 'chai';
import type { RawResponse, ReviewContext } from '../../../src/apiserver/response/raw-response.ts';
import { evaluateResponse } from '../../../src/apiserver/response/response.ts';

const asked = (over: Partial<ReviewContext> = {}): ReviewContext => ({
  webhook: 'policy.example.com',
  kind: 'mutating',
  version: 'v1',
  uid: 'u',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe' } },
  ...over,
});
const answer = (body: string, over: Partial<RawResponse> = {}): RawResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(body),
  ...over,
});
const review = (response: object): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u', allowed: true, ...response },
  });

describe('evaluateAnswer: results that one response does not decide', () => {
  const undecided: readonly [string, RawResponse][] = [
    ['a redirect', answer('', { status: 307, headers: { location: '/elsewhere' } })],
    ['a redirect that makes it a GET', answer('', { status: 301, headers: { location: 'https://x/' } })],
    ['a Retry-After of a 503', answer('', { status: 503, headers: { 'retry-after': '1' } })],
    ['a Retry-After of a 429', answer('', { status: 429, headers: { 'retry-after': '0' } })],
    [
      'a step that breaks the patch library',
      answer(
        review({
          patchType: 'JSONPatch',
          patch: Buffer.from('[{"op":"replace","path":""}]').toString('base64'),
        }),
      ),
    ],
    ['JSON nested deeper than is followed', answer(`{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`)],
    ['protobuf that may be a review', answer('k8s\0\x08\x01')],
  ];
  for (const [name, sent] of undecided) {
    it(name, () => expect(evaluateResponse(sent, asked()).outcome).to.equal('unknown'));
  }
});

describe('evaluateAnswer: versions', () => {
  const undecodable = answer(review({ patchType: 'JSONPatch', patch: Buffer.from('{}').toString('base64') }));
  const why = 'json: cannot unmarshal object into Go value of type jsonpatch.Patch';

  it('an undecodable patch obeys failurePolicy from 1.34 on', () => {
    expect(evaluateResponse(undecodable, asked({ server: 'v1.34.1' }))).to.deep.include({
      outcome: 'call-failure',
      text: `failed calling webhook "policy.example.com": received undecodable patch in webhook response: ${why}`,
    });
    expect(evaluateResponse(undecodable, asked({ server: 'v1.33.9' }))).to.deep.equal({
      outcome: 'api-server-error',
      text: `Internal error occurred: ${why}`,
      complete: true,
    });
  });

  it('metrics count a failure without a status as 400 before 1.34', () => {
    const empty = answer('');
    expect(evaluateResponse(empty, asked({ server: 'v1.33.9' }))).to.include({ code: 400 });
    expect(evaluateResponse(empty, asked({ server: 'v1.34.0' }))).to.include({ code: 503 });
    expect(evaluateResponse(answer('x', { status: 404 }), asked({ server: 'v1.33.9' }))).to.include({
      code: 404,
    });
  });

  it('the error has no middle part before 1.23', () => {
    expect(evaluateResponse(answer('', { status: 404 }), asked({ server: 'v1.22.17' }))).to.include({
      text: 'failed calling webhook "policy.example.com": the server could not find the requested resource',
    });
  });
});

describe('evaluateAnswer: an HTML page', () => {
  const page = `<html>\n${'<p>Sign in to go on</p>\n'.repeat(1000)}</html>`;

  it('fails the call, with an error that is known only if the page is short', () => {
    expect(evaluateResponse(answer(page), asked())).to.include({ outcome: 'call-failure', complete: false });
    expect(evaluateResponse(answer(page.slice(0, 800)), asked())).to.include({ complete: true });
  });

  it('is unknown if it is long and may contain a response', () => {
    expect(evaluateResponse(answer(`${page}response`), asked()).outcome).to.equal('unknown');
  });
});

describe('evaluateAnswer: hostile responses end', () => {
  const hostile: readonly [string, string][] = [
    ['a million brackets', '['.repeat(1_000_000)],
    ['as many brackets as are read', '['.repeat(8000)],
    ['dashes', '- '.repeat(4000)],
    ['keys without end', 'a: '.repeat(2700)],
    ['a million braces', '{"a":'.repeat(200_000)],
    [
      'a YAML bomb',
      'a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]\n',
    ],
    ['a member named __proto__', review({}).replace('{', '{"__proto__":{"allowed":true},')],
  ];
  for (const [name, body] of hostile) {
    it(name, () =>
      expect(evaluateResponse(answer(body), asked()).outcome).to.be.oneOf([
        'unknown',
        'call-failure',
        'allowed',
      ]),
    );
  }
});

describe('evaluateAnswer: an error in a response that allows', () => {
  const ignored = (status: object): unknown => {
    const result = evaluateResponse(answer(review({ status })), asked());
    return result.outcome === 'allowed' ? result.ignoredError : result.outcome;
  };

  it('is kept, although the API server does not read it', () => {
    expect(ignored({ code: 500, message: 'no instance' })).to.equal('no instance');
    expect(ignored({ status: 'Failure', reason: 'NotFound' })).to.equal('NotFound');
  });

  it('is not read into other statuses', () => {
    expect(ignored({ code: 200, message: 'ok' })).to.equal(undefined);
    expect(ignored({ message: 'skipped' })).to.equal(undefined);
    expect(ignored({ code: 500 })).to.equal(undefined);
  });
});
