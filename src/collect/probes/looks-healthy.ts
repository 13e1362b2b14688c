import {
  type CalloutProbes,
  type ProbeConnection,
  probeConnectionsOf,
  type ReviewExchange,
} from '../../facts/probes.ts';

/** The part of a response in which Pods can disagree: its status, and whether it allows the request. */
function verdictOf({ answer }: ReviewExchange): string {
  if (answer === undefined) return '';
  try {
    const { response } = JSON.parse(Buffer.from(answer.body).toString('utf8')) as {
      readonly response?: { readonly allowed?: unknown; readonly result?: { readonly status?: unknown } };
    };
    return `${answer.status} ${String(response?.allowed)} ${String(response?.result?.status)}`;
  } catch {
    return `${answer.status} unreadable`;
  }
}

/** True if every response is a denial: it does not show whether the webhook works. */
export function deniesAll(probes: CalloutProbes): boolean {
  const reviews = probeConnectionsOf(probes).flatMap((connection) => connection.reviews);
  return reviews.length > 0 && reviews.every((review) => verdictOf(review).startsWith('200 false'));
}

/** True if every response to a review allows it. */
export function allowsAll(probes: CalloutProbes): boolean {
  const reviews = probeConnectionsOf(probes).flatMap((connection) => connection.reviews);
  return reviews.length > 0 && reviews.every((review) => verdictOf(review).startsWith('200 true'));
}

/** True if a response contains a patch. */
export const patchesAny = (probes: CalloutProbes): boolean =>
  probeConnectionsOf(probes)
    .flatMap(({ reviews }) => reviews)
    .some(
      ({ answer }) =>
        answer !== undefined &&
        /"patch":\s*(?:"[^"]|\[\s*\d)/.test(Buffer.from(answer.body).toString('utf8')),
    );

/** True if a Pod was called with a review. */
export const hasReviews = (probes: CalloutProbes): boolean =>
  probeConnectionsOf(probes).some(({ reviews }) => reviews.length > 0);

/** True if connections succeed, and no review gets a response. */
export function answersNone(probes: CalloutProbes): boolean {
  const reviews = probeConnectionsOf(probes).flatMap((connection) => connection.reviews);
  return reviews.length > 0 && reviews.every(({ answer }) => answer === undefined);
}

/** True if no connection succeeds: other objects would show the same failure again. */
export const connectsToNone = (probes: CalloutProbes): boolean =>
  probeConnectionsOf(probes).every(({ failure, reviews }) => failure !== undefined && reviews.length === 0);

/** True if every Pod runs and refuses connections: its process waits for something. */
export const refusesAll = ({ replicas }: CalloutProbes): boolean =>
  replicas.length > 0 &&
  replicas.every(
    ({ dialogues }) => dialogues.length > 0 && dialogues.every(({ failure }) => failure?.kind === 'refused'),
  );

const isComplete = ({ failure, reviews }: ProbeConnection): boolean =>
  failure === undefined &&
  reviews.every((review) => review.failure === undefined && review.answer?.status === 200);

/** True if a review took longer than the API server waits. */
export const respondsLate = (probes: CalloutProbes, timeoutSeconds: number): boolean =>
  probeConnectionsOf(probes).some(({ reviews }) =>
    reviews.some(({ milliseconds }) => milliseconds > timeoutSeconds * 1000),
  );

/**
 * True if the probes show no problem: every replica responds, all in the same way, and the API server reaches
 * them. Other backends are examined further; checks evaluate them.
 */
export function looksHealthyToProbes(probes: CalloutProbes): boolean {
  const { replicas, dryRun, discovery } = probes;
  const connections = probeConnectionsOf(probes);
  const verdicts = new Set(connections.flatMap(({ reviews }) => reviews.map(verdictOf)));
  return (
    connections.every(isComplete) &&
    verdicts.size <= 1 &&
    !deniesAll(probes) &&
    replicas.every(({ proxy }) => proxy?.reached !== false) &&
    (dryRun?.message ?? '') === '' &&
    (discovery?.message ?? '') === '' &&
    discovery?.status !== 0
  );
}
