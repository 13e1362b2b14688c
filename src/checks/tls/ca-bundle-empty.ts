import { trustOf } from '../../apiserver/certificate/anchors.ts';
import { type Callout, isServiceBacked, type ServiceBacked } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { askedInjector } from '../../products/ca-injectors.ts';
import { ownInjector } from '../../products/writers.ts';
import { defineCheck } from '../check.ts';
import { clientConfigSays } from '../client-config.ts';
import { verified } from './ca-bundle.ts';

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
      'Put the PEM of the authority that signed the serving certificate into `caBundle`, or see why whoever should write it has not: whether it runs, and what it says (`kubectl -n cert-manager logs deploy/cert-manager-cainjector`). Products that write it themselves do so within a minute of their start.',
    messages: {
      systemRoots: 'The caBundle is empty: the API server trusts nothing but its own system roots for {host}',
      notInjected:
        'The caBundle is empty: {injector} has not filled it in, as the annotation {annotation} asks',
      notWritten: 'The caBundle is empty: {writer} fills it in while it runs, and has not',
    },
    follows: ['certificate-not-issued', 'ca-injection-broken'],
    references: ['https://cert-manager.io/docs/concepts/ca-injector/'],
  },
  requires: ['callouts', 'version'],
  subjects: serviceBacked,
  run(callout, { version }, find) {
    if (trustOf(callout, version)?.kind !== 'system-roots') return undefined;
    const evidence = [clientConfigSays(callout, 'caBundle', 'none')];
    const asked = askedInjector(callout.metadata);
    if (asked !== undefined) {
      const { annotation, name } = asked.injector;
      const field = `metadata.annotations["${annotation}"]`;
      const says = { object: callout.ref, field, value: asked.value };
      return find('notInjected', { injector: name, annotation }, [...evidence, says]);
    }
    const writer = ownInjector(callout);
    if (writer !== undefined) return find('notWritten', { writer: writer.name }, evidence);
    const { name, namespace } = callout.client.service;
    return find('systemRoots', { host: `${name}.${namespace}.svc` }, evidence);
  },
});
