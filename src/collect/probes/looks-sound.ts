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

const isSound = ({ failure, reviews }: Dialogue): boolean =>
  failure === undefined &&
  reviews.every((review) => review.failure === undefined && review.answer?.status === 200);

/**
 * Nothing in what was seen hints at trouble: every replica answers, all in the same way, and the API server reaches
 * them. Whatever does not look sound is read more closely; what it means is the checks' matter.
 */
export function looksSound(probes: CalloutProbes): boolean {
  const { replicas, url, serviceProxy, dryRun, discovery } = probes;
  const dialogues = [
    ...replicas.flatMap((replica) => replica.dialogues),
    ...(url === undefined ? [] : [url]),
  ];
  const gists = new Set(dialogues.flatMap(({ reviews }) => reviews.map(gist)));
  return (
    dialogues.every(isSound) &&
    gists.size <= 1 &&
    replicas.every(({ proxy }) => proxy?.reached !== false) &&
    serviceProxy?.reached !== false &&
    (dryRun?.message ?? '') === '' &&
    (discovery?.message ?? '') === '' &&
    discovery?.status !== 0
  );
}
