import { ofKey, type Service } from '../../facts/objects.ts';
import { namespace, service } from './manifests.ts';
import { mutating, validating, type WebhookOver, webhook } from './webhook-manifests.ts';
import {
  barePod,
  type ClusterPart,
  daemonSet,
  deployment,
  statefulSet,
  type WorkloadOver,
} from './workload-manifests.ts';

const workloads = { deployment, statefulSet, daemonSet, barePod } as const;
type WorkloadKind = keyof typeof workloads;
const workloadKinds = Object.keys(workloads) as readonly WorkloadKind[];

type WebhookWith = WebhookOver & { readonly name?: string };

/** Differences from the default: a Deployment, and a validating webhook `NAME.example.com`. */
interface InstallationOver extends Partial<Readonly<Record<WorkloadKind, WorkloadOver>>> {
  readonly service?: Partial<Service['spec']>;
  readonly validating?: WebhookWith;
  readonly mutating?: WebhookWith;
}

/** The objects of a typical chart as `namespace/name`: namespace, Service, workload and webhook. */
export function installation(key: string, over: InstallationOver = {}): readonly ClusterPart[] {
  const { namespace: home, name } = ofKey(key);
  const kind = workloadKinds.find((one) => over[one] !== undefined) ?? 'deployment';
  const { name: called = `${name}.example.com`, ...rest } = over.mutating ?? over.validating ?? {};
  const configuration = over.mutating === undefined ? validating : mutating;
  return [
    namespace(home),
    service(key, over.service),
    workloads[kind](key, over[kind]),
    configuration(name, [webhook(called, { service: key, ...rest })]),
  ];
}
