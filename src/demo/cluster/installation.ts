import { ofKey } from '../../facts/object-ref.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { ApiObject } from '../api-server/object-store.ts';
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

/** `configuration`: the name of its object. Default: that of the installation. */
type WebhookWith = WebhookOver & { readonly name?: string; readonly configuration?: string };

/** Differences from the default: a Deployment, and a validating webhook `NAME.example.com`. */
interface InstallationOver extends Partial<Readonly<Record<WorkloadKind, WorkloadOver>>> {
  /** The labels of the namespace. */
  readonly labels?: Readonly<Record<string, string>>;
  /** True if its workload was deleted. */
  readonly withoutWorkload?: true;
  /** The object that names its Service instead of a webhook configuration. */
  readonly serves?: ApiObject;
  readonly service?: Partial<Service['spec']>;
  readonly validating?: WebhookWith;
  readonly mutating?: WebhookWith;
}

/** The objects of a typical chart as `namespace/name`: namespace, Service, workload and webhook. */
export function installation(key: string, over: InstallationOver = {}): readonly ClusterPart[] {
  const { namespace: home, name } = ofKey(key);
  const kind = workloadKinds.find((one) => over[one] !== undefined) ?? 'deployment';
  const webhookOver: WebhookWith = over.mutating ?? over.validating ?? {};
  const { name: called = `${name}.example.com`, configuration: configured = name, ...rest } = webhookOver;
  const configuration = over.mutating === undefined ? validating : mutating;
  return [
    namespace(home, over.labels),
    service(key, over.service),
    ...(over.withoutWorkload ? [] : [workloads[kind](key, over[kind])]),
    over.serves ?? configuration(configured, [webhook(called, { service: key, ...rest })]),
  ];
}
