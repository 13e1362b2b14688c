import { trustOf } from '../../apiserver/certificate/anchors.ts';
import { type Callout, isServiceBacked, type ServiceBacked } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { defineCheck } from '../check.ts';
import { clientConfigSays } from '../client-config.ts';
import { verified } from './ca-bundle.ts';

interface Injector {
  readonly annotation: string;
  readonly name: string;
}

/** Who fills in an empty caBundle when an annotation asks for it. */
const injectors: readonly Injector[] = [
  { annotation: 'cert-manager.io/inject-ca-from', name: 'cert-manager' },
  { annotation: 'cert-manager.io/inject-ca-from-secret', name: 'cert-manager' },
  { annotation: 'cert-manager.io/inject-apiserver-ca', name: 'cert-manager' },
  { annotation: 'service.beta.openshift.io/inject-cabundle', name: 'the service CA operator' },
  { annotation: 'service.alpha.openshift.io/inject-cabundle', name: 'the service CA operator' },
];

const serviceBacked = (facts: Pick<Facts, 'callouts'>): readonly ServiceBacked<Callout>[] =>
  verified(facts).filter((callout) => isServiceBacked(callout));

export const caBundleEmpty = defineCheck({
  meta: {
    id: 'ca-bundle-empty',
    link: 'tls',
    title: 'The caBundle is empty, and a Service is called',
    severity: 'error',
    consequence: 'failing',
    why: 'Without a caBundle the API server trusts the system roots of its own host or image. No public authority signs names that end in `.svc`: unless somebody added an authority of the cluster there, the call ends in `x509: certificate signed by unknown authority`. An empty bundle is right for a URL with a public name.',
    advice:
      'Put the PEM of the authority that signed the serving certificate into `caBundle`, or see why the injector that should write it has not: `kubectl -n cert-manager logs deploy/cert-manager-cainjector`.',
    messages: {
      systemRoots: 'The caBundle is empty: the API server trusts nothing but its own system roots for {host}',
      notInjected:
        'The caBundle is empty: {injector} has not filled it in, as the annotation {annotation} asks',
    },
    follows: ['certificate-not-issued', 'ca-injection-broken'],
    references: ['https://cert-manager.io/docs/concepts/ca-injector/'],
  },
  requires: ['callouts', 'version'],
  subjects: serviceBacked,
  run(callout, { version }, find) {
    if (trustOf(callout, version)?.kind !== 'system-roots') return undefined;
    const { annotations = {} } = callout.metadata;
    const evidence = [clientConfigSays(callout, 'caBundle', 'none')];
    const asked = injectors.find(({ annotation }) => (annotations[annotation] ?? 'false') !== 'false');
    if (asked === undefined) {
      const { name, namespace } = callout.client.service;
      return find('systemRoots', { host: `${name}.${namespace}.svc` }, evidence);
    }
    const { annotation, name } = asked;
    const object = callout.ref;
    const field = `metadata.annotations[${annotation}]`;
    return find('notInjected', { injector: name, annotation }, [
      ...evidence,
      { object, field, value: annotations[annotation] ?? '' },
    ]);
  },
});
