import { expect } from 'chai';
import * as fc from 'fast-check';
import { maskSecrets, withoutSecrets } from '../../../../src/collect/kube/credentials/mask-secrets.ts';
import { refusalError } from '../../../../src/collect/kube/http/response-error.ts';

describe('the text of a refused request', () => {
  const token = fc.stringMatching(/^[A-Za-z0-9._~+-]{8,60}$/);
  const surroundings = fc.string({ maxLength: 400 });
  const shapes = fc.constantFrom(
    (text: string) => JSON.stringify({ kind: 'Status', message: text }),
    (text: string) => text,
    (text: string) => `<html>${text}`,
  );

  it('never contains a token that the server returns, whole or cut', () => {
    fc.assert(
      fc.property(token, surroundings, surroundings, shapes, (secret, before, after, shape) => {
        const body = Buffer.from(shape(`${before}${secret}${after}`));
        const answer = { status: 500, headers: {}, body, bytes: body.length };
        const error = refusalError(answer, '/x', 'https://s', (text) => withoutSecrets(text, [secret]));
        const detail = `${error.message} ${error.serverMessage}`;
        expect(detail).not.to.include(secret);
        if (!`${before}${after}`.includes(secret.slice(0, 8)) && !shape('').includes(secret.slice(0, 8)))
          expect(detail).not.to.include(secret.slice(0, 8));
      }),
    );
  });
});

describe('redaction of credentials', () => {
  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln';
  for (const [text, shown] of [
    [`token ${jwt} expired`, 'token [hidden] expired'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer [hidden]'],
    ['key AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDDDDDDDDD', 'key [hidden]'],
    ['a\n-----BEGIN EC PRIVATE KEY-----\nMIIB\n-----END EC PRIVATE KEY-----\nb', 'a\n[hidden]\nb'],
    ['-----BEGIN PRIVATE KEY-----\nMIIB', '[hidden]'],
  ] as const)
    it(JSON.stringify(shown), () => expect(maskSecrets(text)).to.equal(shown));

  for (const text of [
    'could not get token: AccessDenied (arn:aws:iam::123456789012:role/eks-reader)',
    'dial tcp 10.0.0.1:443: connect: connection refused',
    'pods "policy-webhook-7d9f8b6c5-abcde" not found in namespace gatekeeper-system',
  ])
    it(`does not change: ${text}`, () => expect(maskSecrets(text)).to.equal(text));
});
