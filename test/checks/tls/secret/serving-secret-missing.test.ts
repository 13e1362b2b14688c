import { servingSecretMissing } from '../../../../src/checks/tls/secret/serving-secret-missing.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, objects, pod, webhook } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { ended, issued, kept, mounting, mountingConfigMap, pem, secret, served } from '../serving.ts';

const good = issued();
const base = mounting();
const optional = {
  ...base,
  spec: { ...base.spec, volumes: [{ name: 'certs', secret: { secretName: 'policy-tls', optional: true } }] },
};
const logged = (name: string) =>
  complete([['shop/policy-1/webhook', `{"level":"error","error":"secret \\"${name}\\" not found"}`]]);

describeCheck(servingSecretMissing, {
  reports: [
    {
      name: 'a Secret that the program reads from the API server, by its log',
      facts: { ...served(good.root, [ended('unrecognized name')]), logs: logged('policy-tls') },
      expect: { messageId: 'read', data: { pod: 'policy-1', secret: 'shop/policy-tls' } },
    },
    {
      name: 'the same, if its known program only fills it',
      facts: {
        ...kept(good.root, undefined, { pods: lists({ 'shop/policy': [pod()] }) }),
        callouts: [webhook({ webhook: 'validation.webhook.pipeline.tekton.dev' })],
        logs: logged('webhook-certs'),
      },
      expect: {
        messageId: 'fills',
        data: { pod: 'policy-1', secret: 'shop/webhook-certs', by: "Tekton's webhook" },
        names: { secret: 'webhook-certs' },
      },
    },
    {
      name: 'a mounted Secret that its known program only fills',
      facts: kept(good.root, undefined, {
        pods: lists({ 'shop/policy': [mounting(['--cert-dir=/certs'], 'gatekeeper-webhook-server-cert')] }),
        callouts: [webhook({ webhook: 'validation.gatekeeper.sh' })],
      }),
      expect: { messageId: 'emptied', names: { secret: 'gatekeeper-webhook-server-cert' } },
    },
    {
      name: 'a Secret that running Pods mount',
      facts: kept(good.root, undefined),
      expect: {
        messageId: 'missing',
        data: { secretOrConfigMap: 'Secret shop/policy-tls', volume: 'certs', path: '/certs' },
      },
    },
    {
      name: 'a ConfigMap that running Pods mount',
      facts: kept(good.root, undefined, {
        pods: lists({ 'shop/policy': [mountingConfigMap()] }),
        configMaps: objects(),
      }),
      expect: {
        messageId: 'missing',
        data: { secretOrConfigMap: 'ConfigMap shop/policy-tls', volume: 'certs', path: '/certs' },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'the log of a Pod that serves a certificate',
      facts: { ...served(good.root, [{ presented: good.presented }]), logs: logged('policy-tls') },
      outcome: 'pass',
    },
    {
      name: 'a log line about a Secret that exists now',
      facts: {
        ...served(good.root, [ended('unrecognized name')]),
        logs: logged('policy-tls'),
        secrets: objects(secret({})),
      },
      outcome: 'pass',
    },
    {
      name: 'a log about a Secret of another kind',
      facts: { ...served(good.root, [ended('unrecognized name')]), logs: logged('database-password') },
      outcome: 'pass',
    },
    {
      name: 'it is there',
      facts: kept(good.root, secret({ 'tls.crt': pem(good.presented) })),
      outcome: 'pass',
    },
    {
      name: 'the Pods mount none',
      facts: kept(good.root, undefined, { pods: lists({ 'shop/policy': [pod()] }) }),
      outcome: 'pass',
    },
    {
      name: 'the Pods start without it',
      facts: kept(good.root, undefined, { pods: lists({ 'shop/policy': [optional] }) }),
      outcome: 'pass',
    },
    {
      name: 'the ConfigMap may not be read: that is no absence',
      facts: kept(good.root, undefined, {
        pods: lists({ 'shop/policy': [mountingConfigMap()] }),
        configMaps: forbidden('configmaps'),
      }),
    },
    {
      name: 'it may not be read: that is no absence',
      facts: kept(good.root, undefined, { secrets: forbidden('secrets') }),
    },
  ],
});
