import { namespaceDeletionBlocked } from '../../../src/checks/effect/namespace-deletion-blocked.ts';
import type { Namespace } from '../../../src/facts/objects/namespace.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, conversion, namespace, objects, webhook } from '../../support/snapshot.ts';
import { allows, tried } from '../probed.ts';

const terminating = (
  name: string,
  type: string,
  message: string,
  status: 'True' | 'False' = 'True',
): Namespace => ({
  metadata: { name, deletionTimestamp: '2025-12-31T12:00:00Z' },
  status: { phase: 'Terminating', conditions: [{ type, status, reason: 'x', message }] },
});
// kube-controller-manager 1.35.4
const discovery = (api = 'metrics.example.com/v1beta1') =>
  `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${api}: stale GroupVersion discovery: ${api}`;
const content = (cause: string) => `Failed to delete all resource types, 1 remaining: ${cause}`;
const all = [webhook(), conversion(), aggregatedApi()];
const facts = (...namespaces: readonly Namespace[]) => ({
  callouts: all,
  namespaces: objects(...namespaces),
});
const data = { namespaces: 'namespace shop', since: '2025-12-31T12:00:00Z' };

describeCheck(namespaceDeletionBlocked, {
  reports: [
    {
      name: 'an APIService that discovery misses',
      facts: facts(terminating('shop', 'NamespaceDeletionDiscoveryFailure', discovery())),
      expect: { messageId: 'stuck', data, confidence: 'observed' },
    },
    {
      name: 'an APIService that responds again',
      facts: tried([allows], {
        discovery: { status: 200, message: '', milliseconds: 2 },
        facts: {
          callouts: [aggregatedApi()],
          namespaces: objects(terminating('shop', 'NamespaceDeletionDiscoveryFailure', discovery())),
        },
      }),
      expect: { messageId: 'retried', data, confidence: 'observed' },
    },
    {
      name: 'an APIService that has been Available for long',
      facts: tried([allows], {
        discovery: { status: 200, message: '', milliseconds: 2 },
        facts: {
          callouts: [
            aggregatedApi({
              conditions: [{ type: 'Available', status: 'True', lastTransitionTime: '2025-12-31T23:00:00Z' }],
            }),
          ],
          namespaces: objects(terminating('shop', 'NamespaceDeletionDiscoveryFailure', discovery())),
        },
      }),
      expect: { messageId: 'unlisted', data, confidence: 'observed' },
    },
    {
      name: 'an APIService that responds, and is not Available yet',
      facts: tried([allows], {
        discovery: { status: 200, message: '', milliseconds: 2 },
        facts: {
          callouts: [aggregatedApi({ conditions: [{ type: 'Available', status: 'False' }] })],
          namespaces: objects(terminating('shop', 'NamespaceDeletionDiscoveryFailure', discovery())),
        },
      }),
      expect: { messageId: 'stuck', data },
    },
    {
      name: 'the second of two APIs',
      facts: facts(
        terminating(
          'shop',
          'NamespaceDeletionDiscoveryFailure',
          'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: a.example.com/v1: the server is currently unable to handle the request, metrics.example.com/v1beta1: the server is currently unable to handle the request',
        ),
      ),
      expect: { messageId: 'stuck', data },
    },
    {
      name: 'a webhook that denies deletions',
      facts: facts(
        terminating(
          'shop',
          'NamespaceDeletionContentFailure',
          content('admission webhook "policy.example.com" denied the request: this object is protected'),
        ),
      ),
      expect: {
        messageId: 'denied',
        data: { ...data, webhook: 'policy.example.com', detail: 'this object is protected' },
      },
    },
    {
      name: 'a webhook that decodes the object, which a deletion does not have',
      facts: facts(
        terminating(
          'shop',
          'NamespaceDeletionContentFailure',
          content('admission webhook "policy.example.com" denied the request: there is no content to decode'),
        ),
      ),
      expect: {
        messageId: 'undecoded',
        data: { ...data, webhook: 'policy.example.com', detail: 'there is no content to decode' },
      },
    },
    {
      name: 'a webhook whose call fails for a deletion',
      facts: facts(
        terminating(
          'shop',
          'NamespaceDeletionContentFailure',
          content(
            'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=5s": service "policy" not found',
          ),
        ),
      ),
      expect: { messageId: 'stuck', data },
    },
    {
      name: 'a conversion that fails',
      facts: facts(
        terminating(
          'shop',
          'NamespaceDeletionContentFailure',
          content(
            'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://policy.shop.svc:443/convert?timeout=30s": service "policy" not found',
          ),
        ),
      ),
      expect: { messageId: 'stuck', data },
    },
    {
      name: 'a webhook on DELETE, in two namespaces',
      facts: facts(
        ...['shop', 'orders'].map((name) =>
          terminating(
            name,
            'NamespaceDeletionContentFailure',
            content(
              'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": EOF',
            ),
          ),
        ),
      ),
      expect: { messageId: 'stuck', data: { ...data, namespaces: 'namespaces shop and orders' } },
    },
  ],
  reportsNothing: [
    { name: 'no namespace is being deleted', facts: facts(namespace()), outcome: 'not-applicable' },
    {
      name: 'another API is missing',
      facts: facts(
        terminating('shop', 'NamespaceDeletionDiscoveryFailure', discovery('metrics.example.com/v1beta11')),
      ),
    },
    {
      name: 'the failure is over',
      facts: facts(terminating('shop', 'NamespaceDeletionDiscoveryFailure', discovery(), 'False')),
    },
    {
      name: 'it waits for another finalizer',
      facts: facts(
        terminating(
          'shop',
          'NamespaceFinalizersRemaining',
          'Some content in the namespace has finalizers remaining: x in 1 resource instances',
        ),
      ),
    },
    {
      name: 'the text is in a namespace that is not terminating',
      facts: facts({
        ...terminating('shop', 'NamespaceDeletionDiscoveryFailure', discovery()),
        metadata: { name: 'shop' },
      }),
    },
  ],
});
