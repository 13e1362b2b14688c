import type { ConversionCallout } from '../../facts/callout.ts';
import { buildTestObject } from '../sample/test-object.ts';

/** A ConversionReview to send. */
export interface ConversionSample {
  readonly version: 'v1' | 'v1beta1';
  readonly object: object;
  readonly body: object;
}

const isKnown = (version: string): version is 'v1' | 'v1beta1' => version === 'v1' || version === 'v1beta1';

/** The names of the versions of a CRD that are served and not stored. */
export const convertedVersions = ({ versions }: ConversionCallout): readonly string[] =>
  versions.filter(({ served, storage }) => served && !storage).map(({ name }) => name);

/**
 * Builds a ConversionReview with a test object: from a served version to the storage version, or to a given version
 * from the storage version, as for a list. Undefined if the CRD has only one version.
 */
export function conversionReview(
  callout: ConversionCallout,
  uid: string,
  desired?: string,
): ConversionSample | undefined {
  const storage = callout.versions.find((candidate) => candidate.storage)?.name;
  const [other] = convertedVersions(callout);
  if (storage === undefined || other === undefined) return undefined;
  const { group, plural, kind, scope } = callout.resource;
  const bare = buildTestObject({
    group,
    version: desired === undefined ? other : storage,
    resource: plural,
    kind,
    labels: {},
    ...(scope === 'Namespaced' ? { namespace: 'default' } : {}),
  });
  const { metadata } = bare as { metadata: object };
  const object = { ...bare, metadata: { ...metadata, uid, creationTimestamp: '2020-01-01T00:00:00Z' } };
  return conversionOf(callout, uid, object, `${group}/${desired ?? storage}`);
}

/** Builds a ConversionReview for one object; undefined if the webhook accepts no known review version. */
export function conversionOf(
  { conversionReviewVersions }: ConversionCallout,
  uid: string,
  object: object,
  desiredAPIVersion: string,
): ConversionSample | undefined {
  const version = conversionReviewVersions.find(isKnown);
  if (version === undefined) return undefined;
  return {
    version,
    object,
    body: {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion, objects: [object] },
    },
  };
}
