import { type Callout, calloutId } from '../../facts/callout.ts';
import { complete } from '../../facts/lookup.ts';
import { refText } from '../../facts/object-ref.ts';
import type { ReviewExchange } from '../../facts/probes.ts';
import type { SampledObject } from '../../facts/sample.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { ProbeFacts } from './probed-callouts.ts';
import { type ProbedEndpoint, probesOf } from './probed-servers.ts';

/** An object that the replicas of a callout were called with, and the facts with its probes only. */
export interface CalledWith<F> {
  /** Absent: the test object. */
  readonly sample?: SampledObject;
  /** `the test object`, `ConfigMap shop/cart`. */
  readonly what: string;
  readonly facts: F;
}

/** The test object, and then each real object that replicas were called with. */
export const calledWith = <F extends ProbeFacts & Pick<Facts, 'samples'>>(
  callout: Callout,
  facts: F,
): readonly CalledWith<F>[] => {
  const id = calloutId(callout);
  const real = (facts.samples.getIfKnown(id) ?? []).flatMap((sample): readonly CalledWith<F>[] => {
    const { object, probes } = sample;
    if (probes === undefined) return [];
    return [{ sample, what: refText(object), facts: { ...facts, probes: complete([[id, probes]]) } }];
  });
  return [{ what: 'the test object', facts }, ...real];
};

/** The reviews that one of these servers got, with the responses; also those of a URL. */
export const reviewsTo = (
  { probe }: ProbedEndpoint,
  callout: Callout,
  facts: Pick<Facts, 'probes'>,
): readonly ReviewExchange[] => {
  const { url } = probesOf(callout, facts) ?? {};
  return (probe?.dialogues ?? (url === undefined ? [] : [url])).flatMap(({ reviews }) => reviews);
};
