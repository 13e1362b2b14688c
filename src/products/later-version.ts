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

/** A version: its numbers, and a suffix such as `rc.1` or `eks.2`. Metadata after a plus sign does not count (semver.org). */
const version = /^v?(?<numbers>\d+(?:\.\d+)*?)(?:\.0)*(?:-(?<suffix>[^+]+))?(?:\+|$)/;
/** Suffixes of versions before a release. Others are of vendors, who build from the release. */
const beforeRelease = /^(?:alpha|beta|rc|pre|preview|dev|snapshot|m)\b|^(?:alpha|beta|rc|m)\d/i;

const order = (text: string, other: string): number => text.localeCompare(other, 'en', { numeric: true });

/**
 * True if a version, such as `v1.11.0`, is later than another one: a release is later than its candidates. False if that
 * is not known, as with suffixes of vendors.
 */
export function isLater(text: string, than: string): boolean {
  const [one, other] = [text, than].map((each) => version.exec(each)?.groups);
  if (one?.numbers === undefined || other?.numbers === undefined) return false;
  const byNumbers = order(one.numbers, other.numbers);
  if (byNumbers !== 0 || other.suffix === undefined) return byNumbers > 0;
  if (!beforeRelease.test(other.suffix)) return false;
  return (
    one.suffix === undefined ||
    (beforeRelease.test(one.suffix) && order(one.suffix.toLowerCase(), other.suffix.toLowerCase()) > 0)
  );
}

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
