import { foreseenOf } from '../apiserver/deadlock/admission-path.ts';
import { type Serving, servingBy } from '../apiserver/deadlock/serving.ts';
import { isLoopbackHost, urlHost, urlPort } from '../basics/url.ts';
import { type AdmissionCallout, closedWebhooks, isUrlBacked } from '../facts/callout.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { Facts } from '../facts/snapshot.ts';
import { listensOnNode } from '../facts/workloads/system-pods.ts';
import { systemWorkloads } from './foreseen-supply.ts';

/** A webhook with a URL to a control plane host (KEP-2699), and the workloads whose Pods listen there. */
export interface HostedByUrl {
  readonly ref: ObjectRef;
  readonly callout: AdmissionCallout;
  readonly hosts: readonly Serving[];
}

type HostFacts = Pick<Facts, 'callouts' | 'namespaces' | 'workloads' | 'endpointSlices'>;

/** Addresses of the API servers and of their nodes: the endpoints of the Service kubernetes. */
function controlPlaneAddresses({ endpointSlices }: HostFacts): readonly string[] {
  const key = 'default/kubernetes';
  const slices = endpointSlices.getIfKnown(key) ?? [];
  return slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses));
}

const leadsToControlPlane = (url: string, facts: HostFacts): boolean => {
  const host = urlHost(url) ?? '';
  return isLoopbackHost(host) || controlPlaneAddresses(facts).includes(host);
};

/** Webhooks whose URL refers to a control-plane node, with the system workloads that listen on that port. */
export const hostedByUrl = (facts: HostFacts): readonly HostedByUrl[] =>
  closedWebhooks(facts).flatMap((callout): readonly HostedByUrl[] => {
    if (!isUrlBacked(callout) || !leadsToControlPlane(callout.client.url, facts)) return [];
    const port = urlPort(callout.client.url);
    const hosts = systemWorkloads(facts)
      .filter(({ spec }) => port !== undefined && listensOnNode(spec.template, port))
      .map((workload) => servingBy(workload, foreseenOf(workload)));
    return hosts.length === 0 ? [] : [{ ref: callout.ref, callout, hosts }];
  });
