import { callFailsUnexplained } from '../../../src/checks/network/call-fails-unexplained.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, lists, objects, service, slice, takenAt, webhook } from '../../support/snapshot.ts';
import { allows, dryRun, http, refused, replica, type Tried, tried } from '../probed.ts';
import { ago } from '../replica/replicas.ts';

/** The third of three Pods, which refuses connections; the others respond. */
const beside = (third: Pod | undefined, over: Partial<Facts> = {}) =>
  tried([allows, allows, refused], {
    facts: {
      pods: lists({ 'shop/policy': [replica(1), replica(2), ...(third === undefined ? [] : [third])] }),
      ...over,
    },
  });
/** Its grace period of 30 s ends after this number of seconds. */
const deleted = (seconds: number, number = 3): Pod =>
  replica(number, {
    metadata: {
      name: `policy-${number}`,
      uid: `uid-${number}`,
      creationTimestamp: ago(7200),
      deletionTimestamp: ago(-seconds),
    },
  });
const published = service({ publishNotReadyAddresses: true });
/** A Pod that became Ready this number of seconds ago, and is in no EndpointSlice. */
const replacedBy = (seconds: number): Pod =>
  replica(4, {
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(seconds) }] },
  });
/** A port-forward that the API server refused. */
const notFound: Tried = {
  notTried: [{ what: 'port-forward', why: 'server-error', detail: 'pods "policy-1" not found' }],
};

const detail = 'failed calling webhook "policy.example.com": something nobody has heard of';

describeCheck(callFailsUnexplained, {
  reports: [
    {
      name: 'a dry run that fails while every replica responds',
      facts: tried([allows], { dryRun: dryRun(`Internal error occurred: ${detail}`) }),
      expect: { messageId: 'all', confidence: 'observed', data: { detail } },
    },
    {
      name: 'a dry run whose error shows what the server did wrong',
      facts: tried([allows], {
        dryRun: dryRun(
          'Internal error occurred: failed calling webhook "policy.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
        ),
      }),
      expect: {
        messageId: 'read',
        data: {
          detail:
            'received invalid webhook response: webhook returned response.patch but not response.patchType',
          means: 'The patch in the response cannot be decoded or applied.',
        },
      },
    },
    {
      name: 'a dry run whose error shows what is wrong with the certificate',
      facts: tried([allows], {
        dryRun: dryRun(
          'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/?timeout=5s": tls: failed to verify certificate: x509: certificate signed by unknown authority',
        ),
      }),
      expect: {
        messageId: 'read',
        data: {
          detail: 'x509: certificate signed by unknown authority',
          means:
            'The caBundle does not contain the CA that signed the serving certificate. Just after an installation it may not be written yet.',
        },
      },
    },
    {
      name: 'an error of an aggregated API, through which the API server calls the webhook',
      facts: tried([], {
        dryRun: dryRun(
          'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: an error on the server ("Internal Server Error: \\"/apis/a.example.com/v1/reviews\\": the server could not find the requested resource") has prevented the request from succeeding',
        ),
        facts: {
          callouts: [
            webhook({
              client: {
                service: {
                  namespace: 'default',
                  name: 'kubernetes',
                  port: 443,
                  path: '/apis/a.example.com/v1/reviews',
                },
              },
            }),
            { ...aggregatedApi(), configuration: 'v1.a.example.com' },
          ],
        },
      }),
      expect: [
        { messageId: 'read', names: { api: 'apiservice/v1.a.example.com' } },
        // Of the APIService, whose Service is not among these facts.
        { messageId: 'all' },
      ],
    },
    {
      name: 'a dry run whose error contains what a shell would execute',
      facts: tried([allows], {
        dryRun: dryRun(
          'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: expected response.uid="a", got "b\' & calc | `id` $(id) %PATH% \\"',
        ),
      }),
      expect: {
        messageId: 'read',
        names: { error: 'expected response.uid="a", got "b calc id (id) PATH "' },
      },
    },
    {
      name: 'a dry run whose response was not complete in time',
      facts: tried([allows], {
        dryRun: dryRun(
          'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: unexpected error when reading response body. Please retry. Original error: context deadline exceeded',
        ),
      }),
      expect: { messageId: 'read' },
    },
    {
      name: 'what every replica shows, which another check explains',
      facts: tried([refused]),
      expect: { messageId: 'all' },
    },
    ...([undefined, true] as const).map((failsAgain) => ({
      name: `a certificate that is not trusted at one of two addresses without Pods, ${failsAgain ? 'again' : 'once'}`,
      facts: {
        ...tried([], {
          dryRun: {
            ...dryRun(
              'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/?timeout=5s": tls: failed to verify certificate: x509: certificate signed by unknown authority',
            ),
            ...(failsAgain && { failsAgain }),
          },
        }),
        endpointSlices: lists({
          'shop/policy': [slice(['192.0.2.1', '192.0.2.2'].map((one) => ({ addresses: [one] })))],
        }),
        services: objects(service({ selector: {} })),
      },
      expect: { messageId: failsAgain ? 'read' : 'readForSome', severity: 'error' } as const,
    })),
    {
      name: 'what the response of one replica shows',
      facts: tried([allows, http(500)]),
      expect: { messageId: 'readForSome' },
    },
    {
      name: 'what one replica shows',
      facts: tried([allows, refused]),
      expect: { messageId: 'some' },
    },
    {
      name: 'a Pod that no longer exists',
      facts: tried([{}], { facts: { pods: lists({}) } }),
      expect: { messageId: 'all', confidence: 'derived' },
    },
    {
      name: 'a Pod that began to be deleted long ago, whose endpoint remains',
      facts: beside(deleted(-300)),
      expect: { messageId: 'some', confidence: 'observed' },
    },
    {
      name: 'a Pod that is being deleted, and is published until it no longer exists',
      facts: beside(deleted(25), { services: objects(published) }),
      expect: { messageId: 'some', confidence: 'observed' },
    },
    {
      name: 'the only Pod, which is being deleted',
      facts: tried([refused], {
        facts: { pods: lists({ 'shop/policy': [deleted(25, 1)] }) },
      }),
      expect: { messageId: 'all', confidence: 'observed' },
    },
    {
      name: 'a crash-looping Pod beside one that is being deleted',
      facts: tried([allows, refused, refused], {
        facts: { pods: lists({ 'shop/policy': [replica(1), replica(2), deleted(25)] }) },
      }),
      expect: { messageId: 'some', confidence: 'observed' },
    },
    {
      name: 'a Pod that no longer exists while nothing else changes',
      facts: tried([allows, notFound], { facts: { pods: lists({ 'shop/policy': [replica(1)] }) } }),
      expect: { messageId: 'some', confidence: 'derived' },
    },
    {
      name: 'what objects show',
      facts: tried([{}], { facts: { endpointSlices: lists({}) } }),
      expect: { messageId: 'all', confidence: 'derived' },
    },
  ],
  reportsNothing: [
    { name: 'every replica responds', facts: tried([allows, allows]), outcome: 'pass' },
    { name: 'a dry run passes', facts: tried([allows], { dryRun: dryRun() }), outcome: 'pass' },
    {
      name: 'another webhook fails the dry run',
      facts: tried([allows], { dryRun: dryRun('failed calling webhook "other.example.com": EOF') }),
      outcome: 'pass',
    },
    {
      name: 'a Pod is being deleted since its EndpointSlice was read',
      facts: beside(deleted(25)),
      outcome: 'pass',
    },
    { name: 'a Pod ended, and no longer exists', facts: beside(undefined), outcome: 'pass' },
    {
      name: 'a Pod no longer exists, and another one has just become Ready',
      facts: tried([allows, notFound], {
        facts: { pods: lists({ 'shop/policy': [replica(1), replacedBy(5)] }) },
      }),
      outcome: 'pass',
    },
    {
      name: 'a Pod is being deleted in a cluster whose clock is ahead',
      facts: beside(deleted(25 + 600), { clock: { server: ago(-600), here: takenAt } }),
      outcome: 'pass',
    },
    {
      name: 'the only Pod is replaced by one that is Ready',
      facts: tried([refused], { facts: { pods: lists({ 'shop/policy': [replacedBy(5)] }) } }),
      outcome: 'pass',
    },
    { name: 'nothing is known', facts: tried([{}]), outcome: 'pass' },
  ],
});
