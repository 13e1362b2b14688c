import { catalogue } from '../../src/checks/catalogue.ts';
import { buildReport } from '../../src/diagnose/build-report.ts';
import type { AdmissionCallout } from '../../src/facts/callout.ts';
import type { Workload } from '../../src/facts/objects/workload.ts';
import type { Facts } from '../../src/facts/snapshot.ts';
import type { Assumption, PodLoss } from '../../src/what-if/assumption.ts';
import { type Assumptions, whatIf } from '../../src/what-if/what-if.ts';
import type { WhatIfReport } from '../../src/what-if/what-if-report.ts';
import { rule } from '../checks/scope/scopes.ts';
import {
  lists,
  namespace,
  objects,
  pod,
  service,
  slice,
  snapshotOf,
  webhook,
  workload,
} from '../support/snapshot.ts';

/** A webhook, its Service, its Deployment and a ready Pod of it on node n1, all with one name. */
export interface Backend {
  readonly name: string;
  /** Namespaces whose Pods it intercepts; absent: all. */
  readonly of?: readonly string[];
  readonly webhook?: Partial<AdmissionCallout>;
  readonly workload?: Partial<Workload['spec']>;
  readonly node?: string;
}

export const idOf = (name: string): string => `validating/${name}/${name}.example.com`;

/** These webhooks for new Pods, each served by a Deployment in its own namespace. */
export function clusterOf(backends: readonly Backend[], over: Partial<Facts> = {}): Partial<Facts> {
  const each = <T>(value: (backend: Backend) => T) =>
    backends.map((backend) => [backend.name, value(backend)] as const);
  const keyed = <T>(value: (backend: Backend) => T) =>
    Object.fromEntries(each(value).map(([name, one]) => [`${name}/${name}`, one]));
  return {
    callouts: backends.map(({ name, of, webhook: more }) =>
      webhook({
        ref: { kind: 'ValidatingWebhookConfiguration', name, webhook: `${name}.example.com` },
        configuration: name,
        webhook: `${name}.example.com`,
        metadata: { name },
        client: { ...webhook().client, service: { namespace: name, name, port: 443 } },
        rules: [rule('pods', { operations: ['CREATE'] })],
        ...(of && {
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: of }],
          },
        }),
        ...more,
      }),
    ),
    services: objects(
      ...backends.map(({ name }) => service({ selector: { app: name } }, { name, namespace: name })),
    ),
    namespaces: objects(
      ...backends.map(({ name }) => namespace(name)),
      ...['shop', 'kube-system', 'kube-node-lease'].map((name) => namespace(name)),
    ),
    endpointSlices: lists(
      keyed(({ name, node = 'n1' }) => [
        slice([
          {
            addresses: ['198.51.100.7'],
            conditions: { ready: true, serving: true, terminating: false },
            targetRef: { kind: 'Pod', namespace: name, name: `${name}-1` },
            nodeName: node,
          },
        ]),
      ]),
    ),
    pods: lists(
      keyed(({ name, node = 'n1' }) => [
        pod({
          metadata: { name: `${name}-1`, namespace: name, labels: { app: name } },
          spec: { nodeName: node },
        }),
      ]),
    ),
    workloads: lists(
      Object.fromEntries(
        each(({ name, workload: spec }) => [
          workload({
            metadata: { name, namespace: name },
            spec: {
              template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'webhook' }] } },
              ...spec,
            },
          }),
        ]),
      ),
    ),
    ...over,
  };
}

export const loss = (over: Partial<PodLoss>): PodLoss => ({
  assume: 'down',
  text: 'it is down',
  services: new Set(),
  pods: new Set(),
  nodes: new Set(),
  callouts: new Set(),
  ...over,
});

/** The what-if report about these facts. */
export function ask(
  given: Partial<Facts>,
  each: readonly Assumption[],
  more: Partial<Omit<Assumptions, 'each'>> = {},
): WhatIfReport {
  const snapshot = snapshotOf(given);
  const report = buildReport(snapshot, snapshot.facts.callouts, catalogue);
  return whatIf(snapshot, report, { each, coldStart: false, rank: false, ...more }, '');
}
