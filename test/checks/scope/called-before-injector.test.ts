import { calledBeforeInjector } from '../../../src/checks/scope/called-before-injector.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { cluster, only, rule } from './scopes.ts';

const of = (configuration: string, name: string, over: Partial<AdmissionCallout> = {}) =>
  webhook({ kind: 'mutating', configuration, webhook: name, rules: [rule('pods')], ...over });
const images = of('a-images', 'images.example.com');
const defaults = of('z-defaults', 'defaults.example.com');
const istio = of('istio-sidecar-injector', 'rev.namespace.sidecar-injector.istio.io');
const vault = of('vault-agent-injector-cfg', 'vault.hashicorp.com');
const autoscaler = of('vpa-webhook-config', 'vpa.k8s.io');

describeCheck(calledBeforeInjector, {
  reports: [
    {
      name: 'a webhook before an injector',
      facts: cluster([istio, images]),
      expect: {
        messageId: 'perhaps',
        subject: images.ref,
        data: {
          webhook: 'images.example.com',
          later: 'rev.namespace.sidecar-injector.istio.io',
        },
      },
    },
    {
      name: 'a webhook before two injectors',
      facts: cluster([images, vault, { ...istio, reinvocationPolicy: 'IfNeeded' }]),
      expect: { messageId: 'perhaps', subject: images.ref },
    },
    {
      name: 'an injector before a webhook that may add the label which requests it',
      facts: cluster([{ ...istio, objectSelector: { matchLabels: { inject: 'yes' } } }, defaults]),
      expect: { messageId: 'before', subject: istio.ref },
    },
  ],
  reportsNothing: [
    {
      name: 'it is called after the injector',
      facts: cluster([defaults, { ...istio, reinvocationPolicy: 'IfNeeded' }]),
      outcome: 'pass',
    },
    {
      name: 'it is called again',
      facts: cluster([
        { ...images, reinvocationPolicy: 'IfNeeded' },
        { ...istio, reinvocationPolicy: 'IfNeeded' },
      ]),
      outcome: 'not-applicable',
    },
    {
      name: 'no Pod reaches both',
      facts: cluster([
        { ...images, ...only('shop') },
        { ...istio, ...only('kube-node-lease') },
      ]),
      outcome: 'pass',
    },
    {
      name: 'the later webhook of a known product adds no container',
      facts: cluster([istio, autoscaler]),
      outcome: 'pass',
    },
    {
      name: 'an injector that no label requests, before another webhook',
      facts: cluster([
        {
          ...istio,
          objectSelector: { matchExpressions: [{ key: 'inject', operator: 'NotIn', values: ['no'] }] },
        },
        defaults,
      ]),
      outcome: 'pass',
    },
    {
      name: 'neither adds containers',
      facts: cluster([images, defaults]),
      outcome: 'pass',
    },
    { name: 'it validates', facts: cluster([{ ...images, kind: 'validating' }]), outcome: 'not-applicable' },
  ],
  isUnknown: [
    {
      name: 'labels of namespaces must not be read',
      facts: cluster([images, istio], { namespaces: forbidden() }),
    },
  ],
});
