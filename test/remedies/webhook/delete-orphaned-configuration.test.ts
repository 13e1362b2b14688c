import { deleteOrphanedConfiguration } from '../../../src/remedies/webhook/delete-orphaned-configuration.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { aggregatedApi, conversion, healthy, objects, service, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const gone = { services: objects<ReturnType<typeof service>>() };
/** The labels of a product in this version. */
const labelled = (version: string) => ({
  name: 'policy',
  labels: { 'app.kubernetes.io/name': 'acme', 'app.kubernetes.io/version': version },
});
const second = webhook({ webhook: 'second.example.com', index: 1 });

describeRemedy(deleteOrphanedConfiguration, {
  plans: [
    {
      name: 'the whole configuration, once its name is typed',
      facts: healthy({ ...gone, callouts: [webhook(), second] }),
      expect: {
        edits: [{ object: { kind: 'ValidatingWebhookConfiguration', name: 'policy' }, operation: 'delete' }],
        typed: 'policy',
        summary: /with its 2 webhooks/,
      },
    },
  ],
  refuses: [
    {
      name: 'where another webhook of it has a backend',
      facts: healthy({
        services: objects(service({}, { name: 'other' })),
        callouts: [
          webhook(),
          webhook({
            webhook: 'second.example.com',
            client: { service: { namespace: 'shop', name: 'other', port: 443 } },
          }),
        ],
      }),
      because: /second\.example\.com still has a backend/,
    },
    {
      name: 'where another webhook of it calls a URL',
      facts: healthy({ ...gone, callouts: [webhook(), webhook({ client: { url: 'https://a.example' } })] }),
      because: /still has a backend/,
    },
    {
      name: 'what an upgrade may have left, as the current version may contain it',
      facts: healthy({
        services: objects(service({}, { name: 'current' })),
        callouts: [
          webhook({ metadata: labelled('1.10.0') }),
          webhook({
            configuration: 'current',
            metadata: labelled('1.11.0'),
            client: { service: { namespace: 'shop', name: 'current', port: 443 } },
          }),
        ],
      }),
      because: /^current of the same product has version 1\.11\.0, and policy has 1\.10\.0/,
    },
    {
      name: 'what GitOps would make again',
      facts: healthy({
        ...gone,
        callouts: [
          webhook({
            metadata: { name: 'policy', annotations: { 'argocd.argoproj.io/tracking-id': 'app:x' } },
          }),
        ],
      }),
      because: /Argo CD Application app would create it again/,
    },
    {
      name: 'a CRD',
      facts: healthy({ ...gone, callouts: [conversion()] }),
      because: /deletes every object of its kind/,
    },
    {
      name: 'an APIService',
      facts: healthy({ ...gone, callouts: [aggregatedApi()] }),
      because: /is an APIService/,
    },
  ],
  doesNotFit: [{ name: 'the check is another', facts: healthy(gone), problem: { check: 'service-missing' } }],
  isUnknown: [{ name: 'the Services could not be read', facts: healthy({ services: forbidden() }) }],
});
