/**
 * Words of which one stands in every line that matters: a search for bytes is what keeps hundreds of megabytes from
 * being parsed. Rarer than "webhook", which every audit event of a cluster with mutating webhooks has.
 */
const needles: readonly Buffer[] = [
  // failed calling webhook "N"; Failed calling webhook, failing open N; Panic calling webhook, failing open N
  'alling webhook',
  'alling admission webhook',
  'failed to call webhook',
  // admission webhook "N" denied the request
  'denied the request',
  // the audit annotation failed-open.validating.webhook.admission.k8s.io/round_0_index_0
  'failed-open.',
  'conversion webhook for',
  'does not support dry run',
  'attempted to modify the object',
].map((text) => Buffer.from(text));

/**
 * Places of the needles in a piece of bytes, ascending; several may be in one line. Each needle is looked for at most
 * once per hit and once to the end.
 */
export function nextNeedle(piece: Buffer): (from: number) => number {
  const places = needles.map(() => -2);
  return (from) => {
    let nearest = -1;
    for (const [index, needle] of needles.entries()) {
      let place = places[index] as number;
      if (place !== -1 && place < from) {
        place = piece.indexOf(needle, from);
        places[index] = place;
      }
      if (place >= 0 && (nearest < 0 || place < nearest)) nearest = place;
    }
    return nearest;
  };
}
