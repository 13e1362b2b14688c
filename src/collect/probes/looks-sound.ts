import type { CalloutProbes, Dialogue, ReviewExchange } from '../../facts/probes.ts';

/** What an answer comes to, as far as replicas can disagree: its status, and whether it allows. */
function gist({ answer }: ReviewExchange): string {
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

const allDialogues = ({ replicas, url }: CalloutProbes): readonly Dialogue[] => [
  ...replicas.flatMap((replica) => replica.dialogues),
  ...(url === undefined ? [] : [url]),
];

/** Every review that was answered is a denial: whether the webhook works as it should does not show. */
export function deniesAll(probes: CalloutProbes): boolean {
  const reviews = allDialogues(probes).flatMap((dialogue) => dialogue.reviews);
  return reviews.length > 0 && reviews.every((review) => gist(review).startsWith('200 false'));
}

/** Connections are made, and no review is answered. */
export function answersNone(probes: CalloutProbes): boolean {
  const reviews = allDialogues(probes).flatMap((dialogue) => dialogue.reviews);
  return reviews.length > 0 && reviews.every(({ answer }) => answer === undefined);
}

/** Every Pod runs and refuses connections: its program waits for something. */
export const refusesAll = ({ replicas }: CalloutProbes): boolean =>
  replicas.length > 0 &&
  replicas.every(
    ({ dialogues }) => dialogues.length > 0 && dialogues.every(({ failure }) => failure?.kind === 'refused'),
  );

const isSound = ({ failure, reviews }: Dialogue): boolean =>
  failure === undefined &&
  reviews.every((review) => review.failure === undefined && review.answer?.status === 200);

/**
 * Nothing in what was seen hints at trouble: every replica answers, all in the same way, and the API server reaches
 * them. Whatever does not look sound is read more closely; what it means is the checks' matter.
 */
export function looksSound(probes: CalloutProbes): boolean {
  const { replicas, serviceProxy, dryRun, discovery } = probes;
  const dialogues = allDialogues(probes);
  const gists = new Set(dialogues.flatMap(({ reviews }) => reviews.map(gist)));
  return (
    dialogues.every(isSound) &&
    gists.size <= 1 &&
    !deniesAll(probes) &&
    replicas.every(({ proxy }) => proxy?.reached !== false) &&
    serviceProxy?.reached !== false &&
    (dryRun?.message ?? '') === '' &&
    (discovery?.message ?? '') === '' &&
    discovery?.status !== 0
  );
}
