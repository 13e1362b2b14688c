import { responsePathNotFound } from '../../../src/checks/response/response-path-not-found.ts';
import { describeFault, http, tried } from '../probed.ts';

const error =
  'failed calling webhook "policy.example.com": failed to call webhook: the server could not find the requested resource';
const json = '{\n  "code": "undefined_document",\n  "message": "document missing: data.system.main"\n}';
const bodies = [
  ['the message of a JSON body', json, `${error}; body: document missing: data.system.main`],
  ['the first line of a text', 'no such path\nsecond line', `${error}; body: no such path`],
  ['no HTML', '<html>no</html>', error],
  ['no JSON without a message', '{"code": 7}', error],
  ['no binary data', 'PK\x03\x04', error],
] as const;

describeFault(
  responsePathNotFound,
  http(404, '404 page not found'),
  (
    [
      [400, 'admission webhook: spec.rules[0].http.paths: invalid path "foo bar"'],
      [400, 'spec.http: invalid path "foo bar"'],
      [400, 'json: invalid URL escape "%zz"'],
      [400, 'unknown route policy in spec'],
      [400, 'invalid path element in spec'],
      [400, 'no controller registered for: kind Foo'],
      [401, '{"error":"invalid url in redirect_uri"}'],
      [403, 'RBAC: unknown path'],
    ] as const
  ).map(([status, body]) => ({
    name: `a response about the object or another address: ${body}`,
    facts: tried([http(status, body)]),
  })),
  [
    ...bodies.map(([name, body, evidence]) => ({
      name: `it with ${name}`,
      facts: tried([http(404, body)]),
      expect: { messageId: 'all' as const, evidence },
    })),
    ...[400, 401, 403].map((status) => ({
      name: `a path that the program itself refuses with ${status}`,
      facts: tried([http(status, "Unauthorized: invalid path 'a1b2'")]),
      expect: { messageId: 'refused' as const },
    })),
    ...['invalid path', 'unknown webhook path: /validate'].map((body) => ({
      name: `a path that the program itself refuses: ${body}`,
      facts: tried([http(400, body)]),
      expect: { messageId: 'refused' as const },
    })),
    {
      name: 'a path for which a server of Knative has no controller',
      facts: tried([http(400, 'no controller registered for: /validate\n')]),
      expect: { messageId: 'all' as const },
    },
    {
      name: 'the path that was requested',
      facts: tried([http(404, '')]),
      expect: {
        messageId: 'all' as const,
        data: {
          replicas: 'Pod policy-1',
          bad: 1,
          total: 1,
          port: 8443,
          path: '/validate',
          status: 'HTTP 404',
          detail: 'the server could not find the requested resource',
        },
      },
    },
  ],
);
