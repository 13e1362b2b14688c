import type { Callout } from '../../facts/callout.ts';
import { writerPods } from '../../facts/workloads.ts';
import type { WriterFacts, WriterTrouble } from './trouble.ts';

/**
 * The resources that must be written so that the API server trusts a server; an operator with leader election
 * also needs its Lease.
 */
const trusted =
  /^(secrets|leases\.coordination\.k8s\.io|(mutating|validating)webhookconfigurations\.admissionregistration\.k8s\.io|customresourcedefinitions\.apiextensions\.k8s\.io|apiservices\.apiregistration\.k8s\.io)$/;

/**
 * Reports a Pod whose log has an error about a missing right to write, or read, the certificate, the caBundle
 * or the Lease.
 */
export function troubleOfRights(
  callout: Callout,
  facts: WriterFacts,
  secrets: readonly string[],
): WriterTrouble | undefined {
  const pods = new Set(writerPods(callout, facts).map(({ metadata }) => metadata.name));
  const denials = facts.rbacDenials.getIfKnown(callout.client.service?.namespace ?? '') ?? [];
  const found = denials.find(
    ({ pod, forbidden: { resource } }) =>
      pods.has(pod.name) && trusted.test(resource) && (resource !== 'secrets' || secrets.length > 0),
  );
  if (found === undefined) return undefined;
  const { account, verb, resource, namespace } = found.forbidden;
  return {
    why: 'forbidden',
    writer: `ServiceAccount ${account}`,
    said: `${verb} ${resource.split('.')[0]} ${namespace === undefined ? 'in the whole cluster' : `in namespace ${namespace}`}`,
    evidence: [{ object: found.pod, field: `log of container ${found.container}`, value: found.line }],
  };
}
