import { apiserviceUnavailable } from '../../../src/checks/registration/apiservice-unavailable.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, lists, pod, slice, takenAt, webhook } from '../../support/snapshot.ts';
import { allows, tried } from '../probed.ts';

const detail = {
  type: 'Available',
  reason: 'FailedDiscoveryCheck',
  message: 'failing or missing response from https://203.0.113.9:443/apis/metrics.example.com/v1beta1: EOF',
  lastTransitionTime: '2025-12-31T00:00:00Z',
};

const discovery =
  'failing or missing response from https://203.0.113.9:443/apis/a.example/v1: bad status from https://203.0.113.9:443/apis/a.example/v1';

const unknownAuthority =
  'Unable to authenticate the request due to an error: x509: certificate signed by unknown authority';
/** A backend that responds with this status, and has this line in its log. */
const logging = (code: number, line: string) => ({
  callouts: [
    aggregatedApi({ conditions: [{ ...detail, status: 'False', message: `${discovery}: ${code}` }] }),
  ],
  pods: lists({ 'shop/policy': [pod()] }),
  logs: complete([['shop/policy-1/webhook', `starting\n${line}\nready`]]),
});
const failed = 'Failed to make webhook authorizer request';
const notAllowed = 'x509: subject with cn=front is not in the allowed list';

/** An APIService whose backend returns 404 for it, beside one that is served. */
const besideServed = (
  over: Parameters<typeof aggregatedApi>[0] = {},
  others: ReturnType<typeof aggregatedApi>[] = [],
) => ({
  callouts: [
    aggregatedApi({ conditions: [{ ...detail, status: 'False', message: `${discovery}: 404` }] }),
    aggregatedApi({
      configuration: 'v1.b.example',
      group: 'b.example',
      version: 'v1',
      conditions: [{ ...detail, status: 'True', reason: 'Passed', message: 'all checks passed' }],
      ...over,
    }),
    ...others,
  ],
});

const stale = (since: string) => ({
  callouts: [
    aggregatedApi({
      conditions: [{ ...detail, status: 'True', reason: 'Passed', lastTransitionTime: since }],
    }),
  ],
  served: complete([['served', { resources: [], stale: ['metrics.example.com/v1beta1'] }]] as const),
});

/** An APIService with this error, whose endpoints changed at this time. */
const changedAt = (error: string, at: string) => ({
  callouts: [
    aggregatedApi({
      conditions: [{ ...detail, status: 'False', message: detail.message.replace(/EOF$/, error) }],
    }),
  ],
  endpointSlices: complete([
    [
      'shop/policy',
      [
        slice(undefined, {
          metadata: {
            name: 'policy-x',
            namespace: 'shop',
            annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': at },
          },
        }),
      ],
    ],
  ] as const),
});
const refusedConnection = 'dial tcp 203.0.113.9:443: connect: connection refused';

describeCheck(apiserviceUnavailable, {
  reports: [
    {
      name: 'what the API server says of it',
      facts: { callouts: [aggregatedApi({ conditions: [{ ...detail, status: 'False' }] })] },
      expect: {
        messageId: 'unavailable',
        data: {
          status: 'False',
          since: '2025-12-31T00:00:00Z',
          reason: 'FailedDiscoveryCheck',
          detail: 'EOF',
        },
        confidence: 'observed',
      },
    },
    {
      name: 'a condition that may be older than the endpoints',
      facts: changedAt(refusedConnection, '2025-12-31T23:59:50Z'),
      expect: { messageId: 'checkedBefore' },
    },
    {
      name: 'a connection that failed after the endpoints changed',
      facts: changedAt(refusedConnection, '2025-12-31T23:59:00Z'),
      expect: { messageId: 'unavailable' },
    },
    {
      name: 'a response that failed, whatever the age of the endpoints',
      facts: changedAt('EOF', '2025-12-31T23:59:50Z'),
      expect: { messageId: 'unavailable' },
    },
    {
      name: 'a backend that rejects the API server',
      facts: {
        callouts: [
          aggregatedApi({
            conditions: [
              {
                ...detail,
                status: 'False',
                message:
                  'failing or missing response from https://203.0.113.9:443/apis/metrics.example.com/v1beta1: bad status from https://203.0.113.9:443/apis/metrics.example.com/v1beta1: 403',
              },
            ],
          }),
        ],
      },
      expect: { messageId: 'refused', data: { code: '403' } },
    },
    ...(
      [
        [
          'x509.go:172] x509: subject with cn=front is not in the allowed list: [a b]',
          'notAllowed',
          { name: 'front', names: 'a, b' },
        ],
        [unknownAuthority, 'otherAuthority', {}],
        ['x509: certificate signed by unknown authority', 'refused', {}],
      ] as const
    ).map(([line, messageId, names]) => ({
      name: `a backend that rejects the API server, and logs ${line}`,
      facts: logging(401, line),
      expect: { messageId, data: { code: '401', ...names } },
    })),
    {
      name: 'a backend that calls a version of an API that the cluster removed',
      facts: logging(500, `webhook.go:199] ${failed}: the server could not find the requested resource`),
      expect: { messageId: 'oldProgram', data: { code: '500', review: 'SubjectAccessReview' } },
    },
    {
      name: 'a backend that cannot verify tokens, because it calls such a version',
      facts: logging(
        401,
        'Failed to make webhook authenticator request: the server could not find the requested resource',
      ),
      expect: { messageId: 'oldProgram', data: { code: '401', review: 'TokenReview' } },
    },
    {
      name: 'a backend whose call of the API server ends early',
      facts: logging(500, `${failed}: Post "https://203.0.113.1:443/apis": context canceled`),
      expect: { messageId: 'unavailable' },
    },
    {
      name: 'a backend without a permission, which logs the certificate of another client',
      facts: logging(403, unknownAuthority),
      expect: { messageId: 'refused', data: { code: '403' } },
    },
    {
      name: 'the beginning of a long list',
      facts: logging(401, `${notAllowed}: [${'name '.repeat(5000)}]`),
      expect: { messageId: 'notAllowed', data: { code: '401', name: 'front', names: 'name, name, name, …' } },
    },
    {
      name: 'a name without colors and tokens of the log',
      facts: logging(401, `\u001b[31mAuthorization: Bearer abc.def ${notAllowed}: [a b]`),
      expect: {
        messageId: 'notAllowed',
        evidence: `Authorization: Bearer … ${notAllowed}: [a b]`,
      },
    },
    {
      name: 'a long line within milliseconds',
      facts: logging(401, 'Unable to authenticate the request '.repeat(8000)),
      expect: { messageId: 'refused' },
    },
    {
      name: 'a backend that does not serve its group',
      facts: {
        callouts: [
          aggregatedApi({
            conditions: [
              {
                ...detail,
                status: 'False',
                message:
                  'failing or missing response from https://203.0.113.9:443/apis/metrics.example.com/v1beta1: bad status from https://203.0.113.9:443/apis/metrics.example.com/v1beta1: 404',
              },
            ],
          }),
        ],
      },
      expect: {
        messageId: 'notServed',
        data: { path: '/apis/metrics.example.com/v1beta1' },
      },
    },
    {
      name: 'an API that the program does not serve, although it serves another one',
      facts: besideServed(),
      expect: {
        messageId: 'notConfigured',
        data: { path: '/apis/a.example/v1', other: 'v1.b.example' },
      },
    },
    {
      name: 'an API that the program does not serve, and one of another program',
      facts: besideServed({ client: { service: { namespace: 'shop', name: 'other', port: 443 } } }),
      expect: { messageId: 'notServed' },
    },
    {
      name: 'that it could not be checked',
      facts: {
        callouts: [
          aggregatedApi({ conditions: [{ ...detail, status: 'Unknown', reason: 'ServiceAccessError' }] }),
        ],
      },
      expect: { messageId: 'unavailable' },
    },
    {
      name: 'that it is Available, while discovery has nothing of it',
      facts: stale('2025-12-31T00:00:00Z'),
      expect: { messageId: 'stale', confidence: 'observed' },
    },
    {
      name: 'that it is Available, while its discovery has no content',
      facts: tried([allows], {
        discovery: { status: 200, message: '', isEmpty: true, milliseconds: 2 },
        facts: {
          callouts: [aggregatedApi({ conditions: [{ ...detail, status: 'True', reason: 'Passed' }] })],
        },
      }),
      expect: { messageId: 'empty', confidence: 'observed' },
    },
    {
      name: 'what it said, where its own call went through afterwards',
      facts: tried([allows], {
        discovery: { status: 200, message: '', milliseconds: 2 },
        facts: { callouts: [aggregatedApi({ conditions: [{ ...detail, status: 'False' }] })] },
      }),
      expect: { messageId: 'opened', confidence: 'observed' },
    },
  ],
  reportsNothing: [
    {
      name: 'it is available, and its discovery has content',
      facts: tried([allows], {
        discovery: { status: 200, message: '', milliseconds: 2 },
        facts: {
          callouts: [aggregatedApi({ conditions: [{ ...detail, status: 'True', reason: 'Passed' }] })],
        },
      }),
      outcome: 'pass',
    },
    {
      name: 'it became available a moment ago, and is not fetched yet',
      facts: stale(takenAt),
      outcome: 'pass',
    },
    {
      name: 'it is available',
      facts: { callouts: [aggregatedApi({ conditions: [{ ...detail, status: 'True', reason: 'Passed' }] })] },
      outcome: 'pass',
    },
    { name: 'nothing was said yet', facts: { callouts: [aggregatedApi()] }, outcome: 'pass' },
    { name: 'there is no APIService', facts: { callouts: [webhook()] }, outcome: 'not-applicable' },
  ],
});
