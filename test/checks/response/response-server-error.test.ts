import { responseServerError } from '../../../src/checks/response/response-server-error.ts';
import { describeFault, http, tried } from '../probed.ts';

const envoy =
  'upstream connect error or disconnect/reset before headers. reset reason: connection failure, transport failure reason: delayed connect error: 111';
const nginx = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';
describeFault(
  responseServerError,
  http(500, 'nil pointer'),
  [],
  [
    {
      name: 'the response of a proxy that cannot connect to the program',
      facts: tried([http(503, envoy)]),
      expect: { messageId: 'proxy' },
    },
    {
      name: 'the same of nginx',
      facts: tried([http(502, nginx)]),
      expect: { messageId: 'proxy' },
    },
    ...(
      [
        [502, 'cosign: registry.example.com: 502 Bad Gateway'],
        [500, 'vault returned: upstream request timeout'],
        [500, 'POST https://opa.example.com/v1/data: 503: no healthy upstream'],
        [503, 'registry.example.com: upstream connect error'],
      ] as const
    ).map(([status, text]) => ({
      name: `a program that quotes the proxy before another server (${text})`,
      facts: tried([http(status, text)]),
      expect: { messageId: 'all' as const },
    })),
    {
      name: 'a Content-Type that the program does not accept',
      facts: tried([http(415, 'unsupported media type')]),
      expect: { messageId: 'contentType' },
    },
    {
      name: 'a rate limit',
      facts: tried([http(429, 'rate limit exceeded')]),
      expect: { messageId: 'limited' },
    },
    {
      name: 'a program that calls an API which the cluster removed',
      facts: tried([
        http(
          500,
          'Internal Server Error: "/apis/a.example.com/v1/reviews": the server could not find the requested resource (post subjectaccessreviews.authorization.k8s.io)',
        ),
      ]),
      expect: { messageId: 'oldApi' },
    },
    {
      name: 'a program that does not find an object',
      facts: tried([http(500, 'configmaps "policy" not found')]),
      expect: { messageId: 'all' },
    },
    {
      name: 'an error of the program itself',
      facts: tried([http(503, 'database is locked')]),
      expect: { messageId: 'all' },
    },
  ],
);
