import { groupBy } from '../basics/collections.ts';
import { derive } from '../basics/derive.ts';
import { type Callout, isAdmission, isServiceBacked } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import { keyOf } from '../facts/object-ref.ts';
import { isNoOlder } from '../facts/objects/metadata.ts';
import type { Facts } from '../facts/snapshot.ts';

const versionLabel = 'app.kubernetes.io/version';
const versionOf = ({ metadata }: Pick<Callout, 'metadata'>): string | undefined =>
  metadata.labels?.[versionLabel];

/** The component of a product in a namespace, by the recommended labels of Kubernetes; undefined without them. */
const componentOf = ({ metadata: { labels }, client: { service } }: Callout): string | undefined =>
  labels?.['app.kubernetes.io/name'] &&
  JSON.stringify([
    service?.namespace,
    ...['name', 'instance', 'component'].map((part) => labels[`app.kubernetes.io/${part}`]),
  ]);

const byComponent = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  groupBy(callouts.filter(isAdmission).filter(isServiceBacked), componentOf),
);

/** True if a version, such as `v1.11.0`, is later than another one. */
const isLater = (version: string, than: string): boolean =>
  version.replace(/^v/, '').localeCompare(than.replace(/^v/, ''), 'en', { numeric: true }) > 0;

/** A configuration of a later version, and its version label. */
export interface LaterVersion {
  readonly data: { readonly version: string; readonly current: string; readonly other: string };
  readonly evidence: Evidence;
}

/**
 * A webhook of the same component and namespace with a later version label, which is not older, and whose Service exists:
 * tools that only apply manifests keep a configuration that the new version no longer has.
 */
export function laterVersion(
  callout: Callout,
  facts: Pick<Facts, 'callouts' | 'services'>,
): LaterVersion | undefined {
  const component = componentOf(callout);
  const version = versionOf(callout);
  if (!isAdmission(callout) || component === undefined || version === undefined) return undefined;
  const found = byComponent(facts)
    .get(component)
    ?.find(
      (other) =>
        isLater(versionOf(other) ?? version, version) &&
        isNoOlder(other.metadata, callout.metadata) &&
        facts.services.getIfKnown(keyOf(other.client.service)) !== undefined,
    );
  if (found === undefined) return undefined;
  const current = versionOf(found) ?? '';
  return {
    data: { version, current, other: found.configuration },
    evidence: { object: found.ref, field: `metadata.labels[${versionLabel}]`, value: current },
  };
}
