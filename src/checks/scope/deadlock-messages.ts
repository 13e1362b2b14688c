import type { Facts } from '../../facts/snapshot.ts';
import type { Find } from '../check.ts';

/** What bootstrap-deadlock says. */
export const messages = {
  refused:
    '{chain}: the API server refuses these Pods because {webhook} does not answer, and only these Pods can answer for it',
  stuck:
    '{chain}: {requests} must pass {webhook}, which has no replica to answer, and nobody but {workload} can bring one',
  starved:
    '{chain}: {workload} waits for {supply} ({said}), and the API server refuses the Pods that give it because {webhook} does not answer',
  beside: {
    text: '{chain}: whatever else keeps {workload} from serving, new Pods of it cannot start either: {requests} must pass {webhook}, which has no replica to answer',
    explains: false,
  },
  nodes: {
    text: '{workload} has no ready node ({said}), and the Pods that make nodes ready, those of the network in {namespaces}, must pass {webhook}, which has no replica to answer',
    explains: false,
  },
  cloud: {
    text: '{workload} waits for a node that the cloud has set up ({said}), and new Pods of the cloud controller manager must pass {webhook}, which has no replica to answer, if they belong to {namespaces}',
    explains: false,
  },
  network: {
    text: '{workload} gets no network from its node ({said}), and new Pods of the network in {namespaces} must pass {webhook}, which has no replica to answer',
    explains: false,
  },
  claims: {
    text: '{workload} waits for a volume that nobody has made ({said}), and new Pods of its provisioner must pass {webhook}, which has no replica to answer, if they belong to {namespaces}',
    explains: false,
  },
  volumes: {
    text: '{workload} waits for a volume whose driver does not run on its node ({said}), and new Pods of the driver must pass {webhook}, which has no replica to answer, if they belong to {namespaces}',
    explains: false,
  },
  names: {
    text: '{workload} cannot look up names ({said}), and new Pods of DNS in {namespaces} must pass {webhook}, which has no replica to answer',
    explains: false,
  },
  would: {
    text: '{chain}: should all Pods of {workload} go away together, none can come back: {requests} must pass {webhook}, which only they answer',
    severity: 'warning',
    explains: false,
  },
  wouldStarve: {
    text: '{chain}: should these Pods all go away together, none can come back: {requests} of {supplier} must pass {webhook}, which only {workload} answers',
    severity: 'warning',
    explains: false,
  },
  mightStarve: {
    text: '{chain}: should these Pods all go away together, and if {only}, none can come back: {requests} of {supplier} must pass {webhook}, which only {workload} answers',
    severity: 'info',
    explains: false,
  },
  untold: {
    text: 'Whether {requests} of {workload} must pass {webhook}, which only they answer, is decided by {by}: nobody can tell from here',
    severity: 'info',
    explains: false,
  },
} as const;

export type Told = Find<typeof messages>;

/** What it reads. */
export type DeadlockFacts = Pick<
  Facts,
  | 'version'
  | 'callouts'
  | 'services'
  | 'namespaces'
  | 'served'
  | 'workloads'
  | 'pods'
  | 'events'
  | 'nodes'
  | 'secrets'
  | 'logs'
  | 'claims'
  | 'refusals'
  | 'makers'
>;
